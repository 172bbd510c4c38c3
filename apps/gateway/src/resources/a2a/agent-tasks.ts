import type { ServerResponse } from 'node:http';
import type { AuditActor, FlowReference, RunRecord, RunStore } from '@millrace/runs';
import type { FlowCache } from '@millrace/access';
import { machineTime } from '@millrace/service';
import type { LangflowRelease } from '@millrace/service';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';
import { askedBy } from '../../http/routing/route';
import { requestedDeadlineSeconds } from '../../http/run-headers';
import type { RunAnswer } from '../../run-answers/run-answer';
import type { DurableRuns } from '../../runs/durable-runs';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { RunOrder } from '../../runs/run-order';
import type { WorkflowRuns } from '../workflows/workflow-runs';
import { AgentSessions } from './agent-session';
import type { CalledAgent } from './agent-session';
import { isFinal, submittedTask, taskOf } from './agent-task';
import type { AgentTask, TaskState } from './agent-task';
import type { SentMessage } from './message-params';
import { RpcError } from './rpc-error';

export interface AgentTasksOptions {
  readonly cache: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly answer: RunAnswer;
  readonly durable: DurableRuns;
  readonly runs: RunStore;
  readonly readYourWrites: ReadYourWrites;
  readonly workflows: Pick<WorkflowRuns, 'stop'>;
  readonly release: LangflowRelease;
}

/** How long the end of a run may take to be stored, or a cancelled run to end. */
const END_WAIT_MILLISECONDS = 5_000;
const END_CHECK_MILLISECONDS = 50;

/** The tasks of flows as agents: each is a run of its flow, stored before it starts. */
export class AgentTasks {
  readonly #options: AgentTasksOptions;

  constructor(options: AgentTasksOptions) {
    this.#options = options;
  }

  /** Starts a task, and waits for its end if the caller does. Throws an RpcError for a message that cannot be taken. */
  async send(response: ServerResponse, agent: CalledAgent, message: SentMessage): Promise<AgentTask> {
    await this.#refuseKnownTask(agent, message);
    const order = await this.#orderOf(response, agent, message);
    const { sessionId } = order.request;
    if (!message.isBlocking) {
      const id = await this.#options.durable.startDetached(order, 'background-followed', null);
      return submittedTask({ id, contextId: contextOf(agent, sessionId) });
    }
    const run = await this.#options.answer.start(response, { ...order, isDurable: true }, null);
    const { runId } = run.options;
    response.setHeader('x-run-id', runId);
    const ending = await run.ended;
    // Of a lost answer nothing more will come: the task can be read later.
    return ending.kind === 'lost'
      ? this.view(agent, await this.find(agent, runId))
      : this.#ended(agent, runId);
  }

  /** Starts a task that its caller follows. */
  async start(response: ServerResponse, agent: CalledAgent, message: SentMessage): Promise<AgentTask> {
    await this.#refuseKnownTask(agent, message);
    const order = await this.#orderOf(response, agent, message);
    const id = await this.#options.durable.startDetached(order, 'followed', null);
    return submittedTask({ id, contextId: contextOf(agent, order.request.sessionId) });
  }

  /** Resolves to the run of a task. Throws an RpcError when the agent has no such task. */
  async find(agent: CalledAgent, taskId: string): Promise<RunRecord> {
    const { runs, readYourWrites } = this.#options;
    await readYourWrites.settled(agent.userId);
    const record = UUID.test(taskId) ? await runs.find(agent.userId, taskId) : null;
    if (record === null || record.flowId !== agent.id || contextIn(agent, record.sessionId) === null)
      throw new RpcError('taskUnknown', 'Task not found');
    return record;
  }

  /** Returns the task of a run. */
  async view(agent: CalledAgent, record: RunRecord): Promise<AgentTask> {
    const { traits, release } = this.#options;
    const contextId = contextOf(agent, record.sessionId);
    return taskOf(record, contextId, await traits.of(record.flowId, record.flowVersion), release);
  }

  /** Cancels a task; resolves to it once it has ended, or after a moment as it is then. */
  async cancel(agent: CalledAgent, taskId: string, actor: AuditActor): Promise<AgentTask> {
    const before = await this.find(agent, taskId);
    if (before.finishedAt !== null) throw new RpcError('taskEnded', 'Task cannot be canceled');
    await this.#options.workflows.stop(agent.userId, before.id, actor);
    const task = await this.#ended(agent, before.id);
    if (isFinal(task.status.state) && task.status.state !== 'canceled')
      throw new RpcError('taskEnded', 'Task cannot be canceled');
    return task;
  }

  /** Resolves to a task once its end is stored, or after a moment as it is then. */
  async #ended(agent: CalledAgent, taskId: string): Promise<AgentTask> {
    const endAt = machineTime() + END_WAIT_MILLISECONDS;
    for (;;) {
      const record = await this.find(agent, taskId);
      if (record.finishedAt !== null || machineTime() > endAt) return this.view(agent, record);
      await new Promise((resolve) => setTimeout(resolve, END_CHECK_MILLISECONDS));
    }
  }

  /** A message to a task cannot answer what it asks: a decision has its own route. */
  async #refuseKnownTask(agent: CalledAgent, { taskId, contextId }: SentMessage): Promise<void> {
    if (taskId === null) return;
    const record = await this.find(agent, taskId).catch((error: unknown) => {
      throw error instanceof RpcError ? new RpcError('taskUnknown', `Task ${taskId} not found`) : error;
    });
    const context = contextOf(agent, record.sessionId);
    if (contextId !== null && contextId !== context)
      throw new RpcError(
        'invalidParams',
        `Context ${contextId} does not match context ${context} of task ${taskId}`,
      );
    const { state } = (await this.view(agent, record)).status;
    throw new RpcError(
      'unsupported',
      isFinal(state)
        ? `Task ${taskId} is in terminal state: ${stateNames[state]}`
        : `Task ${taskId} is in state ${stateNames[state]} and takes no message`,
    );
  }

  async #orderOf(
    response: ServerResponse,
    agent: CalledAgent,
    { text, contextId }: SentMessage,
  ): Promise<RunOrder> {
    const flow = await this.#flowOf(agent);
    const { headers } = response.req;
    return {
      userId: agent.userId,
      flow,
      request: {
        form: 'simple',
        // As in a workflow, a Chat Input uses its saved text when the message is empty.
        inputs: text === '' ? [] : [{ components: [], inputValue: text, type: 'chat' }],
        outputs: { by: 'type', type: 'any' },
        tweaks: {},
        stream: false,
        sessionId: new AgentSessions(agent).sessionOf(contextId),
        globalVariables: {},
      },
      ...askedBy(response),
      deadlineSeconds: requestedDeadlineSeconds(headers),
      onEvents: null,
    };
  }

  async #flowOf({ userId, id }: CalledAgent): Promise<FlowReference> {
    const flow = await this.#options.cache.find(userId, id);
    if (!flow || flow.isEmpty) throw new RpcError('internal', 'The flow has no data');
    return flow;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const stateNames: Readonly<Record<TaskState, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
};

function contextIn(agent: CalledAgent, sessionId: string): string | null {
  return new AgentSessions(agent).contextOf(sessionId);
}

function contextOf(agent: CalledAgent, sessionId: string): string {
  return contextIn(agent, sessionId) ?? '';
}
