import { setTimeout as sleep } from 'node:timers/promises';
import { argumentFault, NO_CHOICE } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
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
import { isRecord } from '../../http/bodies/parse-json';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { requestCursor } from './request-cursor';
import { openRequest, pendingRequest } from './human-request-view';
import type { OpenRequest, PendingRequest } from './human-request-view';
import {
  answeredByOthers,
  decisionRefused,
  GOES_ON,
  notResumable,
  unknownResumable,
} from './workflow-errors';

/** Langflow's list of a flow has no further pages. */
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
  /** As in the body; `abandoned`: the person decides nothing. */
  readonly decision: Readonly<Record<string, unknown>> | null | 'abandoned';
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
}

/** A page in the shape of `GET /api/v1/pending`. */
export interface OpenRequestsAnswer {
  readonly requests: readonly OpenRequest[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

export interface RequestsOfRun {
  readonly record: RunRecord | null;
  readonly requests: readonly StoredRequest[];
}

export interface HumanRequestsOptions {
  readonly runs: Pick<RunStore, 'find' | 'humanRequests' | 'openHumanRequests' | 'within'>;
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

  /** Lists the requests of a flow's runs that wait for a person, the oldest first. */
  async pending(userId: string, flowId: string): Promise<readonly PendingRequest[]> {
    await this.#options.readYourWrites.settled(userId);
    const page = { flowId, limit: MAXIMUM_PENDING };
    return (await this.#options.runs.openHumanRequests(userId, page)).requests.map(pendingRequest);
  }

  /** A page of requests that wait, of all flows unless one is given, or of one run; with links that answer them if wanted. */
  async open(userId: string, { hasLinks, ...query }: OpenRequestPage): Promise<OpenRequestsAnswer> {
    const { runs, readYourWrites, decisionLinks } = this.#options;
    await readYourWrites.settled(userId);
    const { requests, next } = await runs.openHumanRequests(userId, query);
    return {
      requests: requests.map((one) =>
        openRequest(one, hasLinks && one.mayAnswer !== false ? decisionLinks.of(one) : undefined),
      ),
      next_cursor: next && requestCursor(next),
    };
  }

  /** A run and all its requests, the oldest first; null for a run that the user does not have. */
  async ofRun(userId: string, runId: string): Promise<RequestsOfRun> {
    const { runs, readYourWrites } = this.#options;
    await readYourWrites.settled(userId);
    return { record: await runs.find(userId, runId), requests: await runs.humanRequests(userId, runId) };
  }

  /** The requests of a run that wait, the oldest first. */
  async waiting(userId: string, runId: string): Promise<readonly StoredRequest[]> {
    const requests = await this.#options.runs.humanRequests(userId, runId);
    return requests.filter(({ decidedAt }) => decidedAt === null);
  }

  /** Stores a person's answers, all or none, and the run goes on. Rejects unless the run waits for each of them. */
  async answer(given: GivenAnswers): Promise<void> {
    const { userId, runId, answers, isByLink } = given;
    const { record, requests } = await this.ofRun(userId, runId);
    // The flow can name others than the owner of the run.
    const owner = record?.userId ?? requests[0]?.userId;
    if (owner === undefined) throw unknownResumable(runId);
    const waiting = requests.filter(({ decidedAt }) => decidedAt === null);
    const others = waiting.find(({ mayAnswer }) => mayAnswer === false && !isByLink);
    if (others) throw answeredByOthers(runId, others.answeredBy ?? []);
    const taken = answers.map(({ requestId, decision }) => {
      // Langflow checks the decision against the request that waits, before it looks at the id.
      const request = waiting.find(({ request_id: id }) => id === requestId) ?? waiting[0];
      return { requestId, request, decision: checkedDecision(runId, request, decision) };
    });
    for (let tries = 1; !(await this.#decide(given, owner, taken)); tries += 1) {
      const refusal = await this.#refusal(given, owner);
      // Two people answer questions of parallel branches at once: the run asks the second one again afterwards.
      if (refusal !== 'goes on') throw refusal;
      if (tries === TRIES) throw notResumable(runId, {}, GOES_ON);
      await sleep(MILLISECONDS_BETWEEN_TRIES);
    }
    await this.#showAnswers(runId);
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

  /** Says who was faster where that is known. `goes on`: the run has an answer to another request, and all of these are open. */
  async #refusal({ userId, runId, answers }: GivenAnswers, owner: string): Promise<Error | 'goes on'> {
    const { runs } = this.#options;
    const requests = await runs.humanRequests(userId, runId);
    const asked = answers.map(({ requestId }) => requests.find(({ request_id: id }) => id === requestId));
    const { decidedAt = null, decidedBy = null } = asked.find((one) => one?.decidedAt) ?? {};
    if (decidedAt) return notResumable(runId, { decided_at: decidedAt.toISOString(), decided_by: decidedBy });
    const status = asked.includes(undefined) ? undefined : (await runs.find(owner, runId))?.status;
    return status !== undefined && UNDER_WAY.includes(status) ? 'goes on' : notResumable(runId);
  }
}

interface TakenAnswer {
  readonly requestId: string;
  readonly request: StoredRequest | undefined;
  readonly decision: HumanDecision;
}

/** Returns a decision that a request allows. Throws decision_refused. */
function checkedDecision(
  runId: string,
  request: StoredRequest | undefined,
  decision: GivenAnswer['decision'],
): HumanDecision {
  if (decision === 'abandoned') return abandonedDecision(request);
  const action = decision?.['action_id'];
  if (request && !request.allowed_decisions.some((allowed) => allowed === action))
    throw decisionRefused(runId);
  const values = decision?.['values'] ?? {};
  if (!isRecord(values)) throw decisionRefused(runId, 'decision.values is not an object.');
  const calls = namedCalls(decision?.['calls'], request);
  if (calls === null)
    throw decisionRefused(runId, 'decision.calls is not a list of places of action_requests.');
  const fault = request?.kind === 'tool_approval' ? approvalFault(request, { action, values, calls }) : null;
  if (fault !== null) throw decisionRefused(runId, fault);
  return { action_id: String(action), values: values as PythonObject, ...(calls && { calls }) };
}

/** The call of a tool is not made. A question takes its fallback, or else none of its choices. */
function abandonedDecision(request: StoredRequest | undefined): HumanDecision {
  const { kind, fallback_action: fallback = null } = request ?? {};
  return { action_id: kind === 'tool_approval' ? 'reject' : (fallback ?? NO_CHOICE), values: {} };
}

interface GivenApproval {
  readonly action: unknown;
  readonly values: Readonly<Record<string, unknown>>;
  readonly calls: readonly number[] | undefined;
}

/** Returns what is wrong with the values of a decision about calls; null for nothing. What would be ignored is wrong. */
function approvalFault(request: StoredRequest, { action, values, calls }: GivenApproval): string | null {
  if (action !== 'edit') return textFault(action, values);
  const hasArgs = 'args' in values;
  const args = hasArgs ? values['args'] : values;
  if (Object.keys(values).length === 0) return 'decision.values.args is missing.';
  if (!isRecord(args)) return 'decision.values.args is not an object.';
  const extra = hasArgs
    ? Object.keys(values).find((name) => name !== 'args' && isGiven(values[name]))
    : undefined;
  if (extra !== undefined) return `decision.values.${extra} is not for edit.`;
  const schema = request.arguments_schemas?.[Math.min(...(calls ?? [0]))] ?? request.arguments_schema;
  return schema ? argumentFault(schema, args as PythonObject) : null;
}

/** The members of the values of a decision that edits nothing, and the decisions that use them. */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['message', ['reject', 'respond']],
  ['response', ['respond']],
]);

function textFault(action: unknown, values: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    const users = TEXTS.get(name);
    if (users && typeof value !== 'string') return `decision.values.${name} is not a text.`;
    // A person must not approve what they meant to edit or to reject.
    if (value !== '' && !users?.some((one) => one === action))
      return `decision.values.${name} is not for ${String(action)}.`;
  }
  const hasText = [...TEXTS.keys()].some((name) => typeof values[name] === 'string');
  return action === 'respond' && !hasText ? 'decision.values.message is missing.' : null;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== '';
}

/** Returns the places of the calls that a decision is for; undefined for all of them, null for a list that names none. */
function namedCalls(
  given: unknown,
  request: StoredRequest | undefined,
): readonly number[] | undefined | null {
  // Without a request that waits the answer is refused for that.
  if (given === undefined || given === null || request === undefined) return undefined;
  const count = request.action_requests?.length ?? 0;
  const isPlace = (place: unknown): place is number =>
    typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < count;
  if (!Array.isArray(given) || given.length === 0 || new Set(given).size < given.length) return null;
  return given.every(isPlace) ? given : null;
}

/** Returns what the audit log says of edited arguments: those that the model gave, and those of the person. */
function editOf(request: StoredRequest | undefined, { action_id, values, calls = [0] }: HumanDecision) {
  // A question can have a choice of this name.
  if (action_id !== 'edit' || request?.kind !== 'tool_approval') return {};
  const call = request.action_requests?.[Math.min(...calls)];
  return { before: JSON.stringify(call?.args ?? null), after: JSON.stringify(values['args'] ?? values) };
}
