import type { ServerResponse } from 'node:http';
import type { RunResponse } from '@millrace/flow';
import type { FlowReference, RunRecord, RunStatus } from '@millrace/runs';
import type { RunStore } from '@millrace/runs';
import type { FlowCache } from '../flows/flow-cache';
import type { FlowTraitsCache } from '../flows/flow-traits';
import { requestIdOf } from '../http/request-id';
import { flowWithoutData } from '../runs/flow-without-data';
import type { ControlChannel } from '../runs/control-channel';
import { storedEnding } from '../runs/durable-runs';
import type { DurableRuns } from '../runs/durable-runs';
import type { RunAnswer } from '../runs/run-answer';
import { runFailureError } from '../runs/run-failure-error';
import { READ_PATIENCE_MILLISECONDS } from '../runs/unrecorded-runs';
import type { UnrecordedRuns } from '../runs/unrecorded-runs';
import type { WaitingRuns } from '../runs/waiting-runs';
import type { RunEnding } from '../runs/waiting-run';
import { failedJob, overdueRun, unknownFlow, unknownJob, unknownOutputs } from './workflow-errors';
import { closingEvents } from './workflow-events';
import type { WorkflowRequest } from './workflow-request';
import { completedWorkflow, failedWorkflow, workflowJob } from './workflow-view';
import type { WorkflowResponse, WorkflowSubject } from './workflow-view';

export interface WorkflowRunsOptions {
  readonly flows: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly answer: RunAnswer;
  readonly durable: DurableRuns;
  readonly runs: RunStore;
  readonly waiting: WaitingRuns;
  readonly unrecorded: UnrecordedRuns;
  readonly control: ControlChannel;
}

/** Runs as `/api/v2/workflows` sees them: jobs that are started, looked at, followed and stopped. */
export class WorkflowRuns {
  readonly #options: WorkflowRunsOptions;

  constructor(options: WorkflowRunsOptions) {
    this.#options = options;
  }

  /** Runs it while the caller waits; a failed run is an answer, too. */
  async whole(response: ServerResponse, userId: string, wanted: WorkflowRequest): Promise<WorkflowResponse> {
    const flow = await this.#flowOf(userId, wanted);
    const requestId = requestIdOf(response);
    const order = { userId, flow, request: wanted.run, requestId, onEvents: null };
    const run = await this.#options.answer.attend(response, order, keyOf(userId, wanted));
    const { runId } = run.options;
    const ending = await run.ended;
    response.setHeader('x-run-id', runId);
    const { tweaks, sessionId } = wanted.run;
    const inputs = { ...tweaks, stream: wanted.run.stream };
    const subject = { runId, flowId: flow.id, sessionId, inputs, globals: wanted.globals };
    return this.#answerOf(subject, ending, flow.version);
  }

  /** Starts it, or finds the run that has the key; resolves to its id when it cannot be lost any more. */
  async start(userId: string, wanted: WorkflowRequest, requestId: string): Promise<string> {
    const flow = await this.#flowOf(userId, wanted);
    const order = { userId, flow, request: wanted.run, requestId, onEvents: null };
    const lane = wanted.mode === 'stream' ? 'interactive' : 'background';
    return this.#options.durable.startFollowed(order, lane, keyOf(userId, wanted));
  }

  /** The job, or the answer of the run when it has one. */
  async look(userId: string, runId: string): Promise<Record<string, unknown> | WorkflowResponse> {
    await this.#options.unrecorded.settled(userId, READ_PATIENCE_MILLISECONDS);
    const record = await this.#options.runs.find(userId, runId);
    if (!record) {
      const waiting = await this.#options.waiting.find(userId, runId);
      if (!waiting) throw unknownJob(runId, 'Workflow job');
      return workflowJob({ runId, flowId: waiting.flowId, globals: {} }, 'in_progress');
    }
    const ending = storedEnding(record);
    if (!ending) return workflowJob(subjectOf(record), jobStatuses[record.status] ?? 'queued');
    if (ending.kind === 'succeeded') return this.#answerOf(subjectOf(record), ending, record.flowVersion);
    if (record.status === 'cancelled') return workflowJob(subjectOf(record), 'cancelled');
    if (record.status === 'timed_out') throw overdueRun(runId);
    throw failedJob(runId, ending.kind === 'failed' ? ending.failure.message : '');
  }

  /** The run with this id. Throws not_found. */
  async find(userId: string, runId: string): Promise<RunRecord> {
    await this.#options.unrecorded.settled(userId, READ_PATIENCE_MILLISECONDS);
    const record = await this.#options.runs.find(userId, runId);
    if (!record) throw unknownJob(runId, 'Job');
    return record;
  }

  /** What is told of an ended run after its events. */
  async closing(record: RunRecord): Promise<readonly string[]> {
    const ending = storedEnding(record);
    if (!ending || ending.kind === 'lost') return [];
    const subject = subjectOf(record);
    return closingEvents(
      ending.kind === 'failed'
        ? failedWorkflow(subject, ending.status, ending.failure)
        : await this.#completed(subject, ending.body, record.flowVersion),
    );
  }

  /** Stops it if it goes on; twice is fine. Resolves to a sentence that says what was done. */
  async stop(userId: string, runId: string): Promise<string> {
    const { runs, waiting, control } = this.#options;
    const before = await runs.find(userId, runId);
    if (!before && !(await waiting.find(userId, runId))) throw unknownJob(runId, 'Job');
    if (before?.status === 'cancelled') return `Job ${runId} is already cancelled.`;
    if (before && storedEnding(before)) return `Job ${runId} already finished (${endNames[before.status]}).`;
    await runs.requestCancel(userId, runId);
    await control.send({ kind: 'cancel', runId, reason: 'asked by its owner' });
    return `Job ${runId} cancelled successfully.`;
  }

  async #flowOf(userId: string, { flowId, outputIds }: WorkflowRequest): Promise<FlowReference> {
    const flow = await this.#options.flows.find(userId, flowId);
    if (!flow) throw unknownFlow(flowId);
    if (flow.isEmpty) throw flowWithoutData(flow.id, 'advanced');
    if (outputIds.length > 0) {
      const { outputs: known } = await this.#options.traits.of(flow.id, flow.version);
      const unknown = outputIds.filter((id) => !known.some((output) => output.id === id));
      if (unknown.length > 0) throw unknownOutputs(unknown, known);
    }
    return flow;
  }

  async #answerOf(subject: WorkflowSubject, ending: RunEnding, version: number): Promise<WorkflowResponse> {
    if (ending.kind === 'succeeded') return this.#completed(subject, ending.body, version);
    if (ending.kind === 'lost') throw ending.error;
    const { status, failure } = ending;
    if (status === 'timed_out') throw overdueRun(subject.runId);
    const error = runFailureError(status, failure, 'advanced');
    // What no flow is to blame for is an error of the request.
    if (!['component_failed', 'cancelled'].includes(error.code)) throw error;
    return failedWorkflow(subject, status, failure);
  }

  async #completed(subject: WorkflowSubject, body: Buffer, version: number): Promise<WorkflowResponse> {
    const { outputs: known } = await this.#options.traits.of(subject.flowId, version);
    return completedWorkflow(subject, JSON.parse(body.toString()) as RunResponse, known);
  }
}

const jobStatuses: Readonly<Partial<Record<RunStatus, 'queued' | 'in_progress'>>> = {
  running: 'in_progress',
};

const endNames: Readonly<Partial<Record<RunStatus, string>>> = {
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  dead: 'failed',
};

/** What is told of a run by its record: nothing of its request but what it was run on. */
function subjectOf({ id, flowId, sessionId }: RunRecord): WorkflowSubject {
  return { runId: id, flowId, sessionId, inputs: {}, globals: {} };
}

function keyOf(userId: string, { idempotencyKey }: WorkflowRequest): string | null {
  return idempotencyKey === null ? null : `${userId} workflow ${idempotencyKey}`;
}
