import { setTimeout as sleep } from 'node:timers/promises';
import type { HumanDecision } from '@millrace/flow';
import type {
  AuditActor,
  AuditLog,
  DecisionLinks,
  EndedRequests,
  RequestPosition,
  RunRecord,
  RunStatus,
  RunStore,
  StoredRequest,
} from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { EndUser } from '../../end-users/end-user-sessions';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { AnswerOutcome } from './answer-outcome';
import { answerError } from './answer-outcome';
import { checkedDecision } from './checked-decision';
import type { GivenDecision } from './checked-decision';
import { requestCursor } from './request-cursor';
import { openRequest, pendingRequest } from './human-request-view';
import type { OpenRequest, PendingRequest } from './human-request-view';

/** The requests of a page; Langflow's list of a flow is one. */
export const MAXIMUM_PENDING = 1_000;

/** The states of a run that goes on with an answer; it can be suspended again since an answer was refused. */
const UNDER_WAY: readonly RunStatus[] = ['accepted', 'queued', 'running', 'suspended'];

/** An answer waits so often for a run that goes on with another one: about five seconds. */
const TRIES = 20;
const MILLISECONDS_BETWEEN_TRIES = 250;

/** Stored in place of the id of a key. */
const BY_LINK = 'decision link';

/** A person's answer to a request. */
export interface GivenAnswer {
  readonly requestId: string;
  readonly decision: GivenDecision;
}

/** A person's answers to requests of a run. */
export interface GivenAnswers {
  readonly userId: string;
  readonly runId: string;
  /** At least one, each to another request. */
  readonly answers: readonly GivenAnswer[];
  readonly actor: AuditActor;
  /** Set for an answer by a link, which needs no key. */
  readonly isByLink?: true;
  /** The end user of the key. The refusal then has no names of users. */
  readonly endUser?: EndUser;
}

/** Which requests are listed: those of a flow or of a run, or of all. */
export interface OpenRequestPage {
  readonly flowId: string | null;
  readonly runId: string | null;
  readonly limit: number;
  /** The end of the page before. */
  readonly after: RequestPosition | undefined;
  /** Whether each has links that answer it. */
  readonly hasLinks: boolean;
  /** Whether a member reads them, who acts as the owner of the project. */
  readonly isMember: boolean;
}

/** A page in the shape of `GET /api/v1/pending`. */
export interface OpenRequestsAnswer {
  readonly requests: readonly OpenRequest[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** What waits of one flow. */
export interface PendingRequestsAnswer {
  readonly requests: readonly PendingRequest[];
  /** The cursor for `GET /api/v1/pending`; null when these are all. */
  readonly nextCursor: string | null;
}

export interface RequestsOfRun {
  readonly record: RunRecord | null;
  readonly requests: readonly StoredRequest[];
}

export interface HumanRequestsOptions {
  readonly runs: Pick<RunStore, 'findSummary' | 'status' | 'humanRequests' | 'openHumanRequests' | 'within'>;
  readonly audit: AuditLog;
  readonly readYourWrites: ReadYourWrites;
  readonly decisionLinks: Pick<DecisionLinks, 'of'>;
  readonly endedRequests: EndedRequests;
  readonly logger: Logger;
}

/** Lists and answers what suspended runs ask a person. */
export class HumanRequests {
  readonly #options: HumanRequestsOptions;

  constructor(options: HumanRequestsOptions) {
    this.#options = options;
  }

  /** Lists the requests of a flow's runs that wait for a person, the oldest first: one page in Langflow's shape. */
  async pending(userId: string, flowId: string): Promise<PendingRequestsAnswer> {
    await this.#options.readYourWrites.settled(userId);
    const page = { flowId, limit: MAXIMUM_PENDING };
    const { requests, next } = await this.#options.runs.openHumanRequests(userId, page);
    return { requests: requests.map(pendingRequest), nextCursor: next && requestCursor(next) };
  }

  /** A page of requests that wait, of all flows unless one is given, or of one run; with links that answer them if wanted. */
  async open(userId: string, { hasLinks, isMember, ...query }: OpenRequestPage): Promise<OpenRequestsAnswer> {
    const { runs, readYourWrites, decisionLinks } = this.#options;
    await readYourWrites.settled(userId);
    const { requests, next } = await runs.openHumanRequests(userId, query);
    return {
      requests: requests.map((one) => {
        const mayAnswer = !asksOthers(one, isMember);
        return openRequest({ ...one, mayAnswer }, hasLinks && mayAnswer ? decisionLinks.of(one) : undefined);
      }),
      next_cursor: next && requestCursor(next),
    };
  }

  /** A run and all its requests, the oldest first; null for a run that the user does not have. */
  async ofRun(userId: string, runId: string): Promise<RequestsOfRun> {
    const { runs, readYourWrites } = this.#options;
    await readYourWrites.settled(userId);
    return {
      record: await runs.findSummary(userId, runId),
      requests: await runs.humanRequests(userId, runId),
    };
  }

  /** The requests of a run that wait, the oldest first. */
  async waiting(userId: string, runId: string): Promise<readonly StoredRequest[]> {
    const requests = await this.#options.runs.humanRequests(userId, runId);
    return requests.filter(({ decidedAt }) => decidedAt === null);
  }

  /** As `tryAnswer`. Rejects unless the answers are taken. */
  async answer(given: GivenAnswers): Promise<void> {
    const outcome = await this.tryAnswer(given);
    if (outcome.kind !== 'taken') throw answerError(given.runId, outcome);
  }

  /** Stores a person's answers, all or none, and the run goes on. They are taken only if the run waits for each of them. */
  async tryAnswer(given: GivenAnswers): Promise<AnswerOutcome> {
    const { userId, runId, answers, isByLink, actor } = given;
    const { record, requests } = await this.ofRun(userId, runId);
    // The flow can name others than the owner of the run.
    const owner = record?.userId ?? requests[0]?.userId;
    if (owner === undefined) return { kind: 'unknown' };
    const waiting = requests.filter(({ decidedAt }) => decidedAt === null);
    const others = isByLink ? undefined : waiting.find((one) => asksOthers(one, actor.userId !== userId));
    if (others) return { kind: 'asks others', names: given.endUser ? [] : (others.answeredBy ?? []) };
    const taken: TakenAnswer[] = [];
    for (const { requestId, decision: from } of answers) {
      // Langflow checks the decision against the request that waits, before it looks at the id.
      const request = waiting.find(({ request_id: id }) => id === requestId) ?? waiting[0];
      const decision = checkedDecision(request, from);
      if (typeof decision === 'string') return { kind: 'refused', sentence: decision };
      taken.push({ requestId, request, decision });
    }
    for (let tries = 1; !(await this.#decide(given, owner, taken)); tries += 1) {
      const outcome = await this.#missed(given, owner);
      // Two people answer questions of parallel branches at once: the run asks the second one again afterwards.
      if (outcome.kind !== 'goes on' || tries === TRIES) return outcome;
      await sleep(MILLISECONDS_BETWEEN_TRIES);
    }
    await this.#showAnswers(runId);
    return { kind: 'taken' };
  }

  async #decide(
    { runId, actor, isByLink }: GivenAnswers,
    owner: string,
    taken: readonly TakenAnswer[],
  ): Promise<boolean> {
    const { runs, audit } = this.#options;
    return audit.change(actor, async (change) => {
      const decisions = new Map(taken.map(({ requestId, decision }) => [requestId, decision]));
      const decidedBy = isByLink ? BY_LINK : actor.keyId;
      if (!(await runs.within(change).decide({ userId: owner, runId, decisions, decidedBy }))) return false;
      for (const { request, decision } of taken) {
        const by = isByLink ? { by: 'link' } : {};
        const named = decision.calls ? { calls: decision.calls.join(',') } : {};
        const detail = { decision: decision.action_id, ...named, ...by, ...editOf(request, decision) };
        change.note({ action: 'run.answered', objectId: runId, detail });
      }
      return true;
    });
  }

  /** Never rejects: the run goes on with the answers, and the sweeper shows them later. */
  async #showAnswers(runId: string): Promise<void> {
    const { endedRequests, logger } = this.#options;
    await endedRequests
      .show({ runId, limit: MAXIMUM_PENDING })
      .catch((error: unknown) => logger.error({ error, runId }, 'could not show an answer in its message'));
  }

  /** Resolves to why the run did not take the answers. */
  async #missed({ userId, runId, answers }: GivenAnswers, owner: string): Promise<AnswerOutcome> {
    const { runs } = this.#options;
    const requests = await runs.humanRequests(userId, runId);
    const asked = answers.map(({ requestId }) => requests.find(({ request_id: id }) => id === requestId));
    const { decidedAt: at = null, decidedBy: by = null } = asked.find((one) => one?.decidedAt) ?? {};
    if (at) return { kind: 'answered', at, by };
    const status = await runs.status(owner, runId);
    if (status === null || !UNDER_WAY.includes(status)) return { kind: 'ended' };
    return { kind: asked.includes(undefined) ? 'not asked' : 'goes on' };
  }
}

/** Whether the flow names users who answer and the reader is none of them. A member acts as the owner of the project, but is another user. */
function asksOthers({ mayAnswer, answeredBy }: StoredRequest, isMember: boolean): boolean {
  return mayAnswer === false || (isMember && Boolean(answeredBy));
}

interface TakenAnswer {
  readonly requestId: string;
  readonly request: StoredRequest | undefined;
  readonly decision: HumanDecision;
}

/** Returns what the audit log says of edited arguments: those that the model gave, and those of the person. */
function editOf(request: StoredRequest | undefined, { action_id, values, calls = [0] }: HumanDecision) {
  // A question can have a choice of this name.
  if (action_id !== 'edit' || request?.kind !== 'tool_approval') return {};
  const call = request.action_requests?.[Math.min(...calls)];
  return { before: JSON.stringify(call?.args ?? null), after: JSON.stringify(values['args']) };
}
