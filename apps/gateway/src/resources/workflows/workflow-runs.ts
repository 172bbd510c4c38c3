import type { ServerResponse } from 'node:http';
import type { FlowCache } from '@millrace/access';
import type { RunRequest, RunResponse } from '@millrace/flow';
import type { AuditActor, AuditLog, RunRecord, RunStatus, RunStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import type { DeduplicatedText, RunFailure } from '@millrace/messages';
import { idempotencyScope } from '../../end-users/end-user-sessions';
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
  failedJob,
  invalidTweak,
  notResumable,
  overdueRun,
  unknownFlow,
  unknownJob,
  unknownOutputs,
} from './workflow-errors';
import { closingEvents } from './workflow-events';
import type { WorkflowRequest } from './workflow-request';
import { completedWorkflow, failedWorkflow, suspendedWorkflow, workflowJob } from './workflow-view';
import { humanRequest } from './human-request-view';
import type { WorkflowResponse, WorkflowSubject } from './workflow-view';
import { askedBy } from '../../http/routing/route';

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
    if (ending.kind === 'suspended') return this.#pauseOf(subject, userId, flow.version);
    return this.#answerOf(subject, ending, flow.version);
  }

  /** Returns what a run asks. When it has been answered meanwhile, returns its end, or else what it has asked last. */
  async #pauseOf(subject: WorkflowSubject, userId: string, version: number): Promise<WorkflowResponse> {
    const { runs } = this.#options;
    const { runId } = subject;
    const requests = await runs.humanRequests(userId, runId);
    const waiting = requests.find(({ decidedAt }) => decidedAt === null);
    if (waiting) return suspendedWorkflow(subject, humanRequest(waiting));
    // Read after the requests, which are deleted with the end of the run.
    const record = await runs.find(userId, runId);
    const ending = record && storedEnding(record);
    if (ending && ending.kind !== 'suspended') return this.#answerOf(subject, ending, version);
    const [answered] = requests.slice(-1);
    if (!answered) throw notResumable(runId);
    return suspendedWorkflow(subject, humanRequest(answered));
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
    if (record.status === 'timed_out')
      throw overdueRun(runId, ending.kind === 'failed' ? unansweredIn(ending.failure) : undefined);
    throw failedJob(runId, ending.kind === 'failed' ? ending.failure.message : '');
  }

  /** Resolves to the run with this id, without its request and result. Rejects with not_found. */
  async find(userId: string, runId: string): Promise<RunRecord> {
    await this.#options.readYourWrites.settled(userId);
    const record = await this.#options.runs.findSummary(userId, runId);
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
    const before = await runs.findSummary(userId, runId);
    if (!before && !(await runLocator.find(userId, runId))) throw unknownJob(runId, 'Job');
    if (before?.status === 'cancelled') return `Job ${runId} is already cancelled.`;
    if (before && before.status !== 'suspended' && storedEnding(before))
      return `Job ${runId} already finished (${endNames[before.status]}).`;
    const isStored = await cancelStored({ runs, audit }, actor, { userId, runId });
    if (!isStored && !before) await audit.record([{ action: 'run.cancelled', objectId: runId, actor }]);
    await control.send({ kind: 'cancel', runId, reason: 'requested by the owner' });
    return `Job ${runId} cancelled successfully.`;
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
    const traits = await this.#options.traits.of(flow.id, flow.version);
    const { outputs, terminals } = traits;
    const isFormer = this.#options.release === '1.11';
    const known = isFormer ? outputs : terminals;
    const unknown = outputIds.filter((id) => !known.some((output) => output.id === id));
    if (unknown.length > 0) throw unknownOutputs(unknown, known);
    const refused = await this.#options.traits.refusedTweaks(flow, run.tweaks);
    if (refused.length > 0) throw tweaksRefused(refused);
    const ids = terminals.map(({ id }) => id);
    const request: RunRequest = isFormer ? run : { ...run, outputs: { by: 'list', outputs: ids } };
    // A run that can wait for a person needs a row.
    const durable = (await this.#options.traits.canAsk(userId, traits)) ? { isDurable: true as const } : {};
    return { userId, flow, request, ...asked, deadlineSeconds, onEvents: null, ...durable };
  }

  async #answerOf(
    subject: WorkflowSubject,
    ending: Exclude<RunEnding, { readonly kind: 'suspended' }>,
    version: number,
  ): Promise<WorkflowResponse> {
    if (ending.kind === 'succeeded') return this.#completed(subject, ending.body, version);
    if (ending.kind === 'lost') throw ending.error;
    const { status, failure } = ending;
    if (status === 'timed_out') throw overdueRun(subject.runId, unansweredIn(failure));
    if (failure.code === 'tweak_invalid') throw invalidTweak(subject.flowId, failure.message);
    const error = runFailureError(status, failure, 'advanced');
    // A failure that the flow did not cause is an error of the request.
    if (!['component_failed', 'cancelled'].includes(error.code)) throw error;
    return failedWorkflow(subject, status, failure);
  }

  /** Returns the subject of a stored run, without the inputs and variables of its request. */
  #subjectOf({ id, flowId, sessionId }: RunRecord): WorkflowSubject {
    const { release } = this.#options;
    return { runId: id, flowId, sessionId, release, inputs: {}, globals: {}, isStored: true };
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

/** Returns the sentence of a run that was not answered in time; undefined for one that was too slow. */
function unansweredIn({ code, message }: RunFailure): string | undefined {
  return code === 'not_answered' ? message : undefined;
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

function keyOf(userId: string, { idempotencyKey, endUser }: WorkflowRequest): string | null {
  return idempotencyKey === null
    ? null
    : `${idempotencyScope({ userId, endUser })} workflow ${idempotencyKey}`;
}
