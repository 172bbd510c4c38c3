import type { ServerResponse } from 'node:http';
import type { AuditActor, FlowReference, RunRecord, RunStore, StoredRequest } from '@millrace/runs';
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
import type { UserConcurrencyLimit } from '../../runs/pending-runs';
import { isInProgress } from '../../runs/stored-ending';
import { GOES_ON } from '../workflows/answer-outcome';
import type { MissedAnswer } from '../workflows/answer-outcome';
import type { HumanRequests } from '../workflows/human-requests';
import type { WorkflowRuns } from '../workflows/workflow-runs';
import { AgentSessions } from './agent-session';
import type { CalledAgent } from './agent-session';
import { isFinal, submittedTask, taskOf } from './agent-task';
import type { AgentTask, TaskState } from './agent-task';
import { inputOf } from './message-params';
import type { SentMessage } from './message-params';
import { RpcError } from './rpc-error';
import { answersIn } from './task-questions';

export interface AgentTasksOptions {
  readonly cache: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly answer: RunAnswer;
  readonly durable: DurableRuns;
  readonly runs: RunStore;
  readonly readYourWrites: ReadYourWrites;
  readonly workflows: Pick<WorkflowRuns, 'stop'>;
  readonly humanRequests: Pick<HumanRequests, 'waiting' | 'tryAnswer'>;
  readonly concurrencyLimit: UserConcurrencyLimit;
  readonly release: LangflowRelease;
}

/** A message to an agent. */
export interface AgentCall {
  readonly agent: CalledAgent;
  readonly response: ServerResponse;
  readonly actor: AuditActor;
}

/** How long the end of a run may take to be stored, or a cancelled run to end. */
const END_WAIT_MILLISECONDS = 5_000;
const END_CHECK_MILLISECONDS = 50;

/** How long the caller who has answered a task waits for it. */
const CONTINUED_WAIT_MILLISECONDS = 60_000;
const CONTINUED_CHECK_MILLISECONDS = 250;

/** The tasks of flows as agents: each is a run of its flow, stored before it starts. */
export class AgentTasks {
  readonly #options: AgentTasksOptions;

  constructor(options: AgentTasksOptions) {
    this.#options = options;
  }

  /**
   * Starts a task, or answers what one asks, and waits until it ends or asks a person if the caller does. Throws an RpcError for a
   * message that cannot be taken.
   */
  async send(call: AgentCall, message: SentMessage): Promise<AgentTask> {
    const { agent, response } = call;
    if (message.taskId !== null) return this.#sendAnswer(call, message.taskId, message);
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
    // Of a lost answer nothing more will come: the task can be read later. A task that asks can have been answered meanwhile.
    return ending.kind === 'lost' || ending.kind === 'suspended'
      ? this.view(agent, await this.find(agent, runId))
      : this.#ended(agent, runId);
  }

  /** Starts a task that its caller follows, or answers what one asks. */
  async start(call: AgentCall, message: SentMessage): Promise<AgentTask> {
    const { agent, response } = call;
    if (message.taskId !== null) {
      await this.#answer(call, message.taskId, message);
      return this.view(agent, await this.find(agent, message.taskId));
    }
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
    const { flowId, flowVersion, sessionId } = record;
    const waiting = await this.#asked(record);
    const contextId = contextOf(agent, sessionId);
    return taskOf(record, { contextId, traits: await traits.of(flowId, flowVersion), release, waiting });
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

  /** Resolves to what a run asks a person now. */
  async #asked({ userId, id, status }: RunRecord): Promise<readonly StoredRequest[]> {
    return status === 'suspended' ? this.#options.humanRequests.waiting(userId, id) : [];
  }

  /** Resolves to a task once it is stored that it has ended or asks a person, or after a moment as it is then. */
  async #ended(
    agent: CalledAgent,
    taskId: string,
    { wait = END_WAIT_MILLISECONDS, check = END_CHECK_MILLISECONDS, isLeft = (): boolean => false } = {},
  ): Promise<AgentTask> {
    const endAt = machineTime() + wait;
    const { runs } = this.#options;
    for (;;) {
      // Only the status: the whole row has the request and the result.
      const status = await runs.status(agent.userId, taskId);
      if (status === null || !isInProgress(status) || machineTime() > endAt || isLeft()) break;
      await new Promise((resolve) => setTimeout(resolve, check));
    }
    return this.view(agent, await this.find(agent, taskId));
  }

  async #sendAnswer(call: AgentCall, taskId: string, message: SentMessage): Promise<AgentTask> {
    const { agent, response } = call;
    const { concurrencyLimit } = this.#options;
    concurrencyLimit.enter(agent.userId);
    try {
      await this.#answer(call, taskId, message);
      return await this.#ended(agent, taskId, {
        wait: message.isBlocking ? CONTINUED_WAIT_MILLISECONDS : 0,
        check: CONTINUED_CHECK_MILLISECONDS,
        isLeft: () => response.destroyed,
      });
    } finally {
      concurrencyLimit.leave(agent.userId);
    }
  }

  /** Gives a task the answers in a message. Throws an RpcError unless it waits for them. */
  async #answer({ agent, actor }: AgentCall, taskId: string, message: SentMessage): Promise<void> {
    const { userId } = agent;
    const waiting = await this.#waitingOf(agent, taskId, message);
    const answers = answersIn(message, waiting);
    const outcome = await this.#options.humanRequests.tryAnswer({ userId, runId: taskId, answers, actor });
    if (outcome.kind !== 'taken') throw missedAnswer(taskId, outcome);
  }

  /** Resolves to what a task asks. Throws an RpcError for a task that takes no message. */
  async #waitingOf(
    agent: CalledAgent,
    taskId: string,
    { contextId }: SentMessage,
  ): Promise<readonly StoredRequest[]> {
    const record = await this.find(agent, taskId).catch((error: unknown) => {
      throw error instanceof RpcError ? new RpcError('taskUnknown', `Task ${taskId} not found`) : error;
    });
    const context = contextOf(agent, record.sessionId);
    if (contextId !== null && contextId !== context)
      throw new RpcError(
        'invalidParams',
        `Context ${contextId} does not match context ${context} of task ${taskId}`,
      );
    const waiting = await this.#asked(record);
    if (waiting.length > 0) return waiting;
    const { state } = (await this.view(agent, record)).status;
    throw new RpcError(
      'unsupported',
      isFinal(state)
        ? `Task ${taskId} is in terminal state: ${stateNames[state]}`
        : `Task ${taskId} is in state ${stateNames[state]} and takes no message`,
    );
  }

  async #orderOf(response: ServerResponse, agent: CalledAgent, message: SentMessage): Promise<RunOrder> {
    const text = inputOf(message);
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
        sessionId: new AgentSessions(agent).sessionOf(message.contextId),
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

function missedAnswer(taskId: string, outcome: MissedAnswer): RpcError {
  switch (outcome.kind) {
    case 'unknown':
      return new RpcError('taskUnknown', `Task ${taskId} not found`);
    case 'asks others':
      // Their names are not for the callers of an agent.
      return new RpcError('unsupported', `Task ${taskId} asks users that its flow names`);
    case 'refused':
      return new RpcError('invalidParams', outcome.sentence);
    case 'answered':
      return new RpcError('unsupported', `Task ${taskId} was answered at ${outcome.at.toISOString()}`);
    case 'ended':
      return new RpcError('unsupported', `Task ${taskId} has ended`);
    case 'not asked':
      return new RpcError('invalidParams', `Task ${taskId} does not ask this`);
    case 'goes on':
      return new RpcError('unsupported', GOES_ON);
  }
}

function contextIn(agent: CalledAgent, sessionId: string): string | null {
  return new AgentSessions(agent).contextOf(sessionId);
}

function contextOf(agent: CalledAgent, sessionId: string): string {
  return contextIn(agent, sessionId) ?? '';
}
