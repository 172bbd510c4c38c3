import type { SharedClock } from '@millrace/service';
import type { EventForm } from '../../run-events/forms/event-form';
import type { FollowedEvent } from '../../run-events/event-sequence';
import { isFinal } from './agent-task';
import type { AgentTask, TaskStatus } from './agent-task';
import type { RpcId } from './rpc-message';

/** The events of a task for one stream: the task as it is, that it works, its artifacts, and its last status. */
export class TaskEvents implements EventForm {
  readonly #id: RpcId;
  readonly #task: AgentTask;
  readonly #clock: Pick<SharedClock, 'now'>;
  #count = 0;
  #works: boolean;

  constructor(id: RpcId, task: AgentTask, clock: Pick<SharedClock, 'now'>) {
    this.#id = id;
    this.#clock = clock;
    this.#task = task;
    this.#works = task.status.state !== 'submitted';
  }

  opening(): readonly FollowedEvent[] {
    return [this.#event(this.#task)];
  }

  running(events: readonly FollowedEvent[]): readonly FollowedEvent[] {
    return events.length > 0 ? this.#working() : [];
  }

  closing(texts: readonly string[]): readonly FollowedEvent[] {
    if (texts.length === 0) return [];
    return [...this.#working(), ...texts.map((text) => this.#event(JSON.parse(text)))];
  }

  #working(): readonly FollowedEvent[] {
    if (this.#works) return [];
    this.#works = true;
    return [
      this.#event(
        statusUpdate(this.#task, { state: 'working', timestamp: new Date(this.#clock.now()).toISOString() }),
      ),
    ];
  }

  #event(result: unknown): FollowedEvent {
    return { id: this.#count++, text: JSON.stringify({ id: this.#id, jsonrpc: '2.0', result }) };
  }
}

/** Returns the closing events of an ended task, as JSON texts. */
export function closingTaskEvents(task: AgentTask): readonly string[] {
  const { id: taskId, contextId } = task;
  const artifacts = (task.artifacts ?? []).map((artifact) => ({
    kind: 'artifact-update',
    taskId,
    contextId,
    artifact,
    append: false,
    lastChunk: false,
  }));
  return [...artifacts, statusUpdate(task, task.status)].map((event) => JSON.stringify(event));
}

function statusUpdate({ id: taskId, contextId }: AgentTask, status: TaskStatus): object {
  return {
    kind: 'status-update',
    taskId,
    contextId,
    status,
    final: isFinal(status.state) || status.state === 'input-required',
  };
}
