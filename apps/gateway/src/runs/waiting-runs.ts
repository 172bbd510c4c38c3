import type { ControlMessage } from '@millrace/contracts';
import type { ControlChannel } from './control-channel';
import type { WaitingRoom } from './waiting-room';
import type { WaitingRun } from './waiting-run';

/** How long another gateway has for its answer; the broker takes a few milliseconds. */
const ANSWER_WITHIN_MILLISECONDS = 250;
/** An id holds a time of the clock of the machine that made it, which may differ from this one's by so much. */
const CLOCK_MILLISECONDS = 900_000;

/** What is known of a run that has no row, because it goes on while its caller waits. */
export interface WaitingState {
  readonly runId: string;
  readonly flowId: string;
  readonly sessionId: string;
  readonly pool: string;
  /** 0 before the first word of an executor. */
  readonly attempt: number;
  readonly acceptedAt: Date;
}

export interface WaitingRunsOptions {
  readonly room: WaitingRoom;
  readonly control: Pick<ControlChannel, 'send'>;
  readonly instance: string;
  /** The longest a caller can wait. */
  readonly deadlineMilliseconds: number;
}

type Question = Extract<ControlMessage, { kind: 'who-waits' }>;
type Answer = Extract<ControlMessage, { kind: 'waits-here' }>;

/** Finds runs whose callers wait, at this gateway or at any other. */
export class WaitingRuns {
  readonly #options: WaitingRunsOptions;
  readonly #asked = new Map<string, Set<(answer: Answer) => void>>();

  constructor(options: WaitingRunsOptions) {
    this.#options = options;
  }

  /** The user's run; null when nobody says in time that its caller waits there. */
  async find(userId: string, runId: string): Promise<WaitingState | null> {
    const here = this.#here(userId, runId);
    if (here) return here;
    if (!this.#mayWait(runId)) return null;
    const answer = await this.#ask(userId, runId);
    if (!answer) return null;
    const { flowId, sessionId, pool, attempt, acceptedAt } = answer;
    return { runId, flowId, sessionId, pool, attempt, acceptedAt: new Date(acceptedAt) };
  }

  /** Another gateway asks: whoever has the run answers. */
  async answer({ runId, userId, asker }: Question): Promise<void> {
    const { instance, control } = this.#options;
    const state = asker === instance ? null : this.#here(userId, runId);
    if (!state) return;
    const acceptedAt = state.acceptedAt.toISOString();
    await control.send({ kind: 'waits-here', ...state, acceptedAt, asker });
  }

  /** Another gateway has said that it has a run. */
  answered(answer: Answer): void {
    if (answer.asker !== this.#options.instance) return;
    for (const take of this.#asked.get(answer.runId) ?? []) take(answer);
  }

  #here(userId: string, runId: string): WaitingState | null {
    const waiting = this.#options.room.find(runId);
    return waiting?.options.userId === userId ? stateOf(waiting) : null;
  }

  /** Ids hold the time at which their run began: most of those that nobody knows are too old or no ids of runs. */
  #mayWait(runId: string): boolean {
    const beganAt = Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);
    const age = Date.now() - beganAt;
    const longest = this.#options.deadlineMilliseconds + CLOCK_MILLISECONDS;
    return runId[14] === '7' && age > -CLOCK_MILLISECONDS && age < longest;
  }

  #ask(userId: string, runId: string): Promise<Answer | null> {
    const { control, instance } = this.#options;
    const takers = this.#asked.get(runId) ?? new Set();
    this.#asked.set(runId, takers);
    return new Promise((resolve) => {
      const settle = (answer: Answer | null): void => {
        clearTimeout(timer);
        takers.delete(settle);
        if (takers.size === 0) this.#asked.delete(runId);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(null), ANSWER_WITHIN_MILLISECONDS);
      takers.add(settle);
      void control.send({ kind: 'who-waits', runId, userId, asker: instance });
    });
  }
}

function stateOf({ options, attempt, publishedAt }: WaitingRun): WaitingState {
  const { runId, flowId, sessionId, pool } = options;
  return { runId, flowId, sessionId, pool, attempt, acceptedAt: new Date(publishedAt) };
}
