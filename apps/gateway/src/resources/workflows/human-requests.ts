import { argumentFault, NO_CHOICE } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import type {
  AuditActor,
  AuditLog,
  DecisionLinks,
  EndedRequests,
  RunRecord,
  RunStore,
  StoredRequest,
} from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { isRecord } from '../../http/bodies/parse-json';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { openRequest, pendingRequest } from './human-request-view';
import type { OpenRequest, PendingRequest } from './human-request-view';
import { answeredByOthers, decisionRefused, notResumable, unknownResumable } from './workflow-errors';

/** More requests of one flow are not listed: there is no paging in Langflow. */
export const MAXIMUM_PENDING = 1_000;

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
  /** Whether each has links that answer it. */
  readonly hasLinks: boolean;
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
    return (await this.#options.runs.openHumanRequests(userId, page)).map(pendingRequest);
  }

  /** As `pending`, of all flows unless one is given, or of one run; with links that answer them if wanted. */
  async open(
    userId: string,
    { flowId, runId, limit, hasLinks }: OpenRequestPage,
  ): Promise<readonly OpenRequest[]> {
    await this.#options.readYourWrites.settled(userId);
    const found =
      runId === null
        ? await this.#options.runs.openHumanRequests(userId, { flowId, limit })
        : (await this.waiting(userId, runId)).filter((one) => flowId === null || one.flowId === flowId);
    const { decisionLinks } = this.#options;
    return found.map((one) =>
      openRequest(one, hasLinks && one.mayAnswer !== false ? decisionLinks.of(one) : undefined),
    );
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
  async answer({ userId, runId, answers, actor, isByLink }: GivenAnswers): Promise<void> {
    const { runs, audit } = this.#options;
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
    const isTaken = await audit.change(actor, async (change) => {
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
    if (!isTaken) throw await this.#notTaken(userId, runId, answers);
    await this.#showAnswers(runId);
  }

  /** Never rejects: the run goes on with the answers, and the sweeper shows them later. */
  async #showAnswers(runId: string): Promise<void> {
    const { endedRequests, logger } = this.#options;
    await endedRequests
      .show({ runId, limit: MAXIMUM_PENDING })
      .catch((error: unknown) => logger.error({ error, runId }, 'could not show an answer in its message'));
  }

  /** Says who was faster where that is known. */
  async #notTaken(userId: string, runId: string, answers: readonly GivenAnswer[]): Promise<Error> {
    const requests = await this.#options.runs.humanRequests(userId, runId);
    const { decidedAt = null, decidedBy = null } =
      requests.find(
        ({ request_id: id, decidedAt: at }) =>
          at !== null && answers.some(({ requestId }) => requestId === id),
      ) ?? {};
    return notResumable(
      runId,
      decidedAt ? { decided_at: decidedAt.toISOString(), decided_by: decidedBy } : {},
    );
  }
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
  const ignored = request?.kind === 'tool_approval' ? ignoredValue(action, values) : null;
  if (ignored !== null) throw decisionRefused(runId, ignored);
  const args = values['args'] ?? values;
  if (action === 'edit' && !isRecord(args))
    throw decisionRefused(runId, 'decision.values.args is not an object.');
  const calls = namedCalls(decision?.['calls'], request);
  if (calls === null)
    throw decisionRefused(runId, 'decision.calls is not a list of places of action_requests.');
  const schema = request?.arguments_schemas?.[Math.min(...(calls ?? [0]))] ?? request?.arguments_schema;
  const fault = action === 'edit' && schema ? argumentFault(schema, args as PythonObject) : null;
  if (fault !== null) throw decisionRefused(runId, fault);
  return { action_id: String(action), values: values as PythonObject, ...(calls && { calls }) };
}

/** The call of a tool is not made. A question takes its fallback, or else none of its choices. */
function abandonedDecision(request: StoredRequest | undefined): HumanDecision {
  const { kind, fallback_action: fallback = null } = request ?? {};
  return { action_id: kind === 'tool_approval' ? 'reject' : (fallback ?? NO_CHOICE), values: {} };
}

/** Returns what is wrong with values that an approval would ignore; null for none. */
function ignoredValue(action: unknown, values: Readonly<Record<string, unknown>>): string | null {
  if (action === 'edit') return null;
  if ((values['args'] ?? null) !== null)
    return `decision.values.args is for edit, not for ${String(action)}.`;
  const name = ['message', 'response'].find((one) => typeof (values[one] ?? '') !== 'string');
  return name === undefined ? null : `decision.values.${name} is not a text.`;
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
  if (action_id !== 'edit') return {};
  const call = request?.action_requests?.[Math.min(...calls)];
  return { before: JSON.stringify(call?.args ?? null), after: JSON.stringify(values['args'] ?? values) };
}
