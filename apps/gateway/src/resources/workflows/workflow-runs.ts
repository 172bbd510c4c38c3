import type { ServerResponse } from 'node:http';
import type { FlowCache } from '@millrace/access';
import { argumentFault } from '@millrace/flow';
import type { HumanDecision, RunRequest, RunResponse } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import type {
  AuditActor,
  AuditLog,
  DecisionLinks,
  RunRecord,
  RunStatus,
  RunStore,
  StoredRequest,
} from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import type { DeduplicatedText } from '@millrace/messages';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';
import { flowWithoutData } from '../../run-answers/flow-without-data';
import { cancelStored } from '../../runs/cancel-stored';
import type { ControlChannel } from '../../runs/control-channel';
import { storedEnding } from '../../runs/stored-ending';
import type { DurableRuns } from '../../runs/durable-runs';
import type { RunAnswer } from '../../run-answers/run-answer';
import { runFailureError } from '../../run-answers/run-failure-error';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { RunLocator } from '../../runs/run-locator';
import type { RunOrder } from '../../runs/run-order';
import type { RunEnding } from '../../runs/pending-run';
import { tweaksRefused } from '../runs/tweaks-refused';
import {
  decisionRefused,
  failedJob,
  notResumable,
  overdueRun,
  unknownFlow,
  unknownJob,
  unknownOutputs,
  unknownResumable,
} from './workflow-errors';
import { closingEvents } from './workflow-events';
import type { WorkflowRequest } from './workflow-request';
import { completedWorkflow, failedWorkflow, suspendedWorkflow, workflowJob } from './workflow-view';
import { humanRequest, openRequest, pendingRequest } from './human-request-view';
import type { OpenRequest, PendingRequest } from './human-request-view';
import type { WorkflowResponse, WorkflowSubject } from './workflow-view';
import { isRecord } from '../../http/bodies/parse-json';
import { askedBy } from '../../http/routing/route';

/** More requests of one flow are not listed: there is no paging in Langflow. */
export const MAXIMUM_PENDING = 1_000;

/** A person's answer to a run that waits. */
export interface WorkflowDecision {
  readonly userId: string;
  readonly runId: string;
  readonly requestId: string;
  /** As in the body. */
  readonly decision: Readonly<Record<string, unknown>> | null;
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

/** Stored in place of the id of a key. */
const BY_LINK = 'decision link';

export interface WorkflowRunsOptions {
  readonly flows: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly answer: RunAnswer;
  readonly durable: DurableRuns;
  readonly runs: RunStore;
  readonly audit: AuditLog;
  readonly runLocator: RunLocator;
  readonly readYourWrites: ReadYourWrites;
  readonly control: ControlChannel;
  readonly decisionLinks: Pick<DecisionLinks, 'of'>;
  readonly release: LangflowRelease;
}

/** Starts, reads and stops runs as jobs of `/api/v2/workflows`. */
export class WorkflowRuns {
  readonly #options: WorkflowRunsOptions;

  constructor(options: WorkflowRunsOptions) {
    this.#options = options;
  }

  /** Runs a flow while the caller waits. A failed run is also an answer. */
  async runAndWait(
    response: ServerResponse,
    userId: string,
    wanted: WorkflowRequest,
  ): Promise<WorkflowResponse> {
    const order = await this.#orderOf(userId, wanted, askedBy(response));
    const { flow } = order;
    const run = await this.#options.answer.start(response, order, keyOf(userId, wanted));
    const { runId } = run.options;
    const ending = await run.ended;
    response.setHeader('x-run-id', runId);
    const { tweaks, sessionId } = wanted.run;
    const { release } = this.#options;
    const inputs = release === '1.11' ? { ...tweaks, stream: wanted.run.stream } : tweaks;
    const { globals, outputIds: selected } = wanted;
    const subject = { runId, flowId: flow.id, sessionId, release, inputs, globals, selected };
    if (ending.kind === 'suspended') {
      const [request] = await this.#waitingRequests(userId, runId);
      if (request) return suspendedWorkflow(subject, humanRequest(request));
    }
    return this.#answerOf(subject, ending, flow.version);
  }

  /** Starts a run, or finds the run that has the key. Resolves to its id once it is stored. */
  async start(
    userId: string,
    wanted: WorkflowRequest,
    asked: Pick<RunOrder, 'requestId' | 'keyId'>,
  ): Promise<string> {
    const order = await this.#orderOf(userId, wanted, asked);
    const mode = wanted.mode === 'stream' ? 'followed' : 'background-followed';
    return this.#options.durable.startDetached(order, mode, keyOf(userId, wanted));
  }

  /** Resolves to the job, or to the answer of the run when it has ended. */
  async read(userId: string, runId: string): Promise<Record<string, unknown> | WorkflowResponse> {
    await this.#options.readYourWrites.settled(userId);
    const record = await this.#options.runs.find(userId, runId);
    if (!record) {
      const pendingRun = await this.#options.runLocator.find(userId, runId);
      if (!pendingRun) throw unknownJob(runId, 'Workflow job');
      return workflowJob({ runId, flowId: pendingRun.flowId, globals: {} }, 'in_progress');
    }
    const ending = storedEnding(record);
    if (!ending || ending.kind === 'suspended')
      return workflowJob(this.#subjectOf(record), jobStatuses[record.status] ?? 'queued');
    if (ending.kind === 'succeeded')
      return this.#answerOf(this.#subjectOf(record), ending, record.flowVersion);
    if (record.status === 'cancelled') return workflowJob(this.#subjectOf(record), 'cancelled');
    if (record.status === 'timed_out') throw overdueRun(runId);
    throw failedJob(runId, ending.kind === 'failed' ? ending.failure.message : '');
  }

  /** Resolves to the run with this id. Rejects with not_found. */
  async find(userId: string, runId: string): Promise<RunRecord> {
    await this.#options.readYourWrites.settled(userId);
    const record = await this.#options.runs.find(userId, runId);
    if (!record) throw unknownJob(runId, 'Job');
    return record;
  }

  /** Resolves to the closing events of an ended run. */
  async closingEventsOf(record: RunRecord): Promise<readonly string[]> {
    const ending = storedEnding(record);
    if (!ending || ending.kind === 'lost' || ending.kind === 'suspended') return [];
    const subject = this.#subjectOf(record);
    return closingEvents(
      ending.kind === 'failed'
        ? failedWorkflow(subject, ending.status, ending.failure)
        : await this.#completed(subject, ending.body, record.flowVersion),
      secondsOf(record),
      ending.kind === 'failed' ? new Set() : resultIds(ending.body),
    );
  }

  /** Cancels a run unless it has ended. Can be called twice. Resolves to a sentence that describes the result. */
  async stop(userId: string, runId: string, actor: AuditActor): Promise<string> {
    const { runs, audit, runLocator, control } = this.#options;
    const before = await runs.find(userId, runId);
    if (!before && !(await runLocator.find(userId, runId))) throw unknownJob(runId, 'Job');
    if (before?.status === 'cancelled') return `Job ${runId} is already cancelled.`;
    if (before && before.status !== 'suspended' && storedEnding(before))
      return `Job ${runId} already finished (${endNames[before.status]}).`;
    const isStored = await cancelStored({ runs, audit }, actor, { userId, runId });
    if (!isStored && !before) await audit.record([{ action: 'run.cancelled', objectId: runId, actor }]);
    await control.send({ kind: 'cancel', runId, reason: 'requested by the owner' });
    return `Job ${runId} cancelled successfully.`;
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
        : (await this.#waitingRequests(userId, runId)).filter(
            (one) => flowId === null || one.flowId === flowId,
          );
    const { decisionLinks } = this.#options;
    return found.map((one) => openRequest(one, hasLinks ? decisionLinks.of(one) : undefined));
  }

  /** Stores a person's decision, and the run goes on. Rejects unless the run waits for it. */
  async resume({ userId, runId, requestId, decision, actor, isByLink }: WorkflowDecision): Promise<void> {
    const { runs, audit } = this.#options;
    await this.#options.readYourWrites.settled(userId);
    const record = await runs.find(userId, runId);
    if (!record) throw unknownResumable(runId);
    const requests = await runs.humanRequests(userId, runId);
    const waiting = requests.filter(({ decidedAt }) => decidedAt === null);
    const action = decision?.['action_id'];
    // Langflow checks the decision against the request that waits, before it looks at the id.
    const request = waiting.find(({ request_id: id }) => id === requestId) ?? waiting[0];
    if (request && !request.allowed_decisions.some((allowed) => allowed === action))
      throw decisionRefused(runId);
    const values = decision?.['values'] ?? {};
    if (!isRecord(values)) throw decisionRefused(runId, 'decision.values is not an object.');
    const args = values['args'] ?? values;
    if (action === 'edit' && !isRecord(args))
      throw decisionRefused(runId, 'decision.values.args is not an object.');
    const schema = request?.arguments_schema;
    const fault = action === 'edit' && schema ? argumentFault(schema, args as PythonObject) : null;
    if (fault !== null) throw decisionRefused(runId, fault);
    const taken: HumanDecision = { action_id: String(action), values: values as PythonObject };
    const isTaken = await audit.change(actor, async (change) => {
      const given = {
        userId,
        runId,
        requestId,
        decision: taken,
        decidedBy: isByLink ? BY_LINK : actor.keyId,
      };
      const isStored = await runs.within(change).decide(given);
      const detail = {
        decision: taken.action_id,
        ...(isByLink && { by: 'link' }),
        ...editOf(request, taken),
      };
      if (isStored) change.note({ action: 'run.answered', objectId: runId, detail });
      return isStored;
    });
    if (isTaken) return;
    const before = (await runs.humanRequests(userId, runId)).find(({ request_id: id }) => id === requestId);
    const { decidedAt, decidedBy } = before ?? {};
    throw notResumable(
      runId,
      decidedAt ? { decided_at: decidedAt.toISOString(), decided_by: decidedBy ?? null } : {},
    );
  }

  async #waitingRequests(userId: string, runId: string): Promise<readonly StoredRequest[]> {
    const requests = await this.#options.runs.humanRequests(userId, runId);
    return requests.filter(({ decidedAt }) => decidedAt === null);
  }

  async #orderOf(
    userId: string,
    wanted: WorkflowRequest,
    asked: Pick<RunOrder, 'requestId' | 'keyId'>,
  ): Promise<RunOrder> {
    const { flowId, outputIds, run, deadlineSeconds } = wanted;
    const flow = await this.#options.flows.find(userId, flowId);
    if (!flow) throw unknownFlow(flowId);
    if (flow.isEmpty) throw flowWithoutData(flow.id, 'advanced');
    const { outputs, terminals, asksHuman } = await this.#options.traits.of(flow.id, flow.version);
    const isFormer = this.#options.release === '1.11';
    const known = isFormer ? outputs : terminals;
    const unknown = outputIds.filter((id) => !known.some((output) => output.id === id));
    if (unknown.length > 0) throw unknownOutputs(unknown, known);
    const refused = await this.#options.traits.refusedTweaks(flow, run.tweaks);
    if (refused.length > 0) throw tweaksRefused(refused);
    const ids = terminals.map(({ id }) => id);
    const request: RunRequest = isFormer ? run : { ...run, outputs: { by: 'list', outputs: ids } };
    // A run that can wait for a person needs a row.
    const durable = asksHuman ? { isDurable: true as const } : {};
    return { userId, flow, request, ...asked, deadlineSeconds, onEvents: null, ...durable };
  }

  async #answerOf(subject: WorkflowSubject, ending: RunEnding, version: number): Promise<WorkflowResponse> {
    if (ending.kind === 'succeeded') return this.#completed(subject, ending.body, version);
    if (ending.kind === 'suspended') throw notResumable(subject.runId);
    if (ending.kind === 'lost') throw ending.error;
    const { status, failure } = ending;
    if (status === 'timed_out') throw overdueRun(subject.runId);
    const error = runFailureError(status, failure, 'advanced');
    // A failure that the flow did not cause is an error of the request.
    if (!['component_failed', 'cancelled'].includes(error.code)) throw error;
    return failedWorkflow(subject, status, failure);
  }

  /** Returns the subject of a stored run, without the inputs and variables of its request. */
  #subjectOf({ id, flowId, sessionId }: RunRecord): WorkflowSubject {
    return { runId: id, flowId, sessionId, release: this.#options.release, inputs: {}, globals: {} };
  }

  async #completed(
    subject: WorkflowSubject,
    body: Buffer | DeduplicatedText,
    version: number,
  ): Promise<WorkflowResponse> {
    const traits = await this.#options.traits.of(subject.flowId, version);
    return completedWorkflow(subject, JSON.parse(body.toString()) as RunResponse, traits);
  }
}

/** Returns what the audit log says of edited arguments: those that the model gave, and those of the person. */
function editOf(request: StoredRequest | undefined, { action_id, values }: HumanDecision) {
  if (action_id !== 'edit') return {};
  const [call] = request?.action_requests ?? [];
  return { before: JSON.stringify(call?.args ?? null), after: JSON.stringify(values['args'] ?? values) };
}

function resultIds(body: Buffer | DeduplicatedText): ReadonlySet<string> {
  const { outputs } = JSON.parse(body.toString()) as RunResponse;
  return new Set(outputs.flatMap((input) => input.outputs).map(({ component_id: id }) => id));
}

function secondsOf({ startedAt, finishedAt }: RunRecord): number {
  return startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1_000 : 0;
}

const jobStatuses: Readonly<Partial<Record<RunStatus, 'queued' | 'in_progress' | 'suspended'>>> = {
  running: 'in_progress',
  suspended: 'suspended',
};

const endNames: Readonly<Partial<Record<RunStatus, string>>> = {
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  dead: 'failed',
};

function keyOf(userId: string, { idempotencyKey }: WorkflowRequest): string | null {
  return idempotencyKey === null ? null : `${userId} workflow ${idempotencyKey}`;
}
