import type { RunResponse } from '@millrace/flow';
import type { RunRecord, StoredRequest } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import type { FlowTraits } from '../../flow-traits/flow-traits';
import type { WorkflowResponse } from '../workflows/workflow-view';
import { completedWorkflow } from '../workflows/workflow-view';
import { namedUuid } from './named-uuid';
import { askingMessage } from './task-questions';

/** The state of a task in the protocol of agents. */
export type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled';

/** A run as its caller sees it. */
export interface AgentTask {
  readonly id: string;
  readonly contextId: string;
  readonly kind: 'task';
  readonly status: TaskStatus;
  readonly artifacts?: readonly TaskArtifact[];
}

export interface TaskStatus {
  readonly state: TaskState;
  /** Absent before the run has begun. */
  readonly timestamp?: string;
  /** Says that the task has failed, or what it asks. */
  readonly message?: object;
}

export interface TaskArtifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly object[];
}

/** The task of a run, by its ids. */
export interface TaskIdentity {
  readonly id: string;
  readonly contextId: string;
}

const states: Readonly<Record<RunRecord['status'], TaskState>> = {
  accepted: 'submitted',
  queued: 'submitted',
  running: 'working',
  suspended: 'input-required',
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  dead: 'failed',
  cancelled: 'canceled',
};

/** Returns whether a task in this state cannot change any more. */
export function isFinal(state: TaskState): boolean {
  return state !== 'submitted' && state !== 'working' && state !== 'input-required';
}

/** Returns a task whose run has been accepted and not begun. */
export function submittedTask(identity: TaskIdentity): AgentTask {
  return { ...identity, kind: 'task', status: { state: 'submitted' } };
}

export interface TaskView {
  readonly contextId: string;
  readonly traits: Pick<FlowTraits, 'outputs' | 'terminals'>;
  readonly release: LangflowRelease;
  /** What the run asks a person, if it is suspended. */
  readonly waiting: readonly StoredRequest[];
}

/** Returns the task of a run. The reason of a failure is for the owner of the flow, who reads it at the run. */
export function taskOf(record: RunRecord, { contextId, traits, release, waiting }: TaskView): AgentTask {
  const identity = { id: record.id, contextId };
  const state = states[record.status];
  const at = isFinal(state) ? record.finishedAt : (waiting.at(-1)?.pausedAt ?? record.startedAt);
  return {
    ...identity,
    kind: 'task',
    status: {
      state,
      ...(state === 'submitted' || at === null ? {} : { timestamp: at.toISOString() }),
      ...(state === 'failed' ? { message: failureMessage(identity) } : {}),
      ...(waiting.length > 0 ? { message: askingMessage(identity, waiting) } : {}),
    },
    ...(state === 'completed' ? { artifacts: [artifactOf(record, traits, release)] } : {}),
  };
}

function failureMessage({ id, contextId }: TaskIdentity): object {
  return {
    kind: 'message',
    role: 'agent',
    messageId: namedUuid('failure', id),
    parts: [{ kind: 'text', text: 'Flow execution failed' }],
    taskId: id,
    contextId,
  };
}

function artifactOf(
  { id, flowId, sessionId, result }: RunRecord,
  traits: Pick<FlowTraits, 'outputs' | 'terminals'>,
  release: LangflowRelease,
): TaskArtifact {
  // The result of an old run may have been removed.
  const response = (result as RunResponse | null) ?? { session_id: sessionId, outputs: [] };
  const subject = { runId: id, flowId, sessionId, release, inputs: {}, globals: {} };
  const parts = partsOf(completedWorkflow(subject, response, traits));
  return {
    artifactId: namedUuid('result', id),
    name: 'result',
    parts: parts.length > 0 ? parts : [{ kind: 'text', text: '' }],
  };
}

/** Returns a single text, or one part for each output that has content. */
function partsOf({ output, outputs }: WorkflowResponse): readonly object[] {
  if (output.reason === 'single') return [{ kind: 'text', text: output.text ?? '' }];
  return Object.values(outputs)
    .filter(({ content }) => content !== null)
    .map(({ type, content }) => {
      const isText = (type === 'message' || type === 'text') && typeof content === 'string';
      return isText ? { kind: 'text', text: content } : dataPart(content);
    });
}

/** The data of a part is an object; the protocol marks any other value. */
function dataPart(content: unknown): object {
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return isObject
    ? { kind: 'data', data: content }
    : { kind: 'data', data: { value: content }, metadata: { data_part_compat: true } };
}
