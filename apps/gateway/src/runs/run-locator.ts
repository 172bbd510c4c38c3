import type { ControlMessage } from '@millrace/messages';
import { machineTime } from '@millrace/service';
import type { ControlChannel } from './control-channel';
import type { PendingRuns } from './pending-runs';
import type { PendingRun } from './pending-run';

/** How long to wait for another gateway's response; the broker takes a few milliseconds. */
const RESPONSE_TIMEOUT_MILLISECONDS = 250;
/** Tolerated difference between this machine's clock and that of the machine that created an id. */
const CLOCK_TOLERANCE_MILLISECONDS = 900_000;

/** State of an interactive run, which has no row while its caller waits. */
export interface LocatedRun {
  readonly runId: string;
  readonly flowId: string;
  readonly sessionId: string;
  readonly pool: string;
  /** 0 before the first frame of an executor. */
  readonly attempt: number;
  readonly acceptedAt: Date;
}

export interface RunLocatorOptions {
  readonly pendingRuns: PendingRuns;
  readonly control: Pick<ControlChannel, 'send'>;
  readonly instance: string;
  /** How long a caller can wait at most. */
  readonly deadlineMilliseconds: number;
}

type LookupRequest = Extract<ControlMessage, { kind: 'who-waits' }>;
type LookupResponse = Extract<ControlMessage, { kind: 'waits-here' }>;

/** Finds pending runs at this gateway or at any other. */
export class RunLocator {
  readonly #options: RunLocatorOptions;
  readonly #lookups = new Map<string, Set<(answer: LookupResponse) => void>>();

  constructor(options: RunLocatorOptions) {
    this.#options = options;
  }

  /** Resolves to the user's run; null when no gateway reports it in time. */
  async find(userId: string, runId: string): Promise<LocatedRun | null> {
    const here = this.#here(userId, runId);
    if (here) return here;
    if (!this.#canBePending(runId)) return null;
    const answer = await this.#lookUp(userId, runId);
    if (!answer) return null;
    const { flowId, sessionId, pool, attempt, acceptedAt } = answer;
    return { runId, flowId, sessionId, pool, attempt, acceptedAt: new Date(acceptedAt) };
  }

  /** Responds to the question of another gateway if the run is pending here. */
  async answer({ runId, userId, asker }: LookupRequest): Promise<void> {
    const { instance, control } = this.#options;
    const state = asker === instance ? null : this.#here(userId, runId);
    if (!state) return;
    const acceptedAt = state.acceptedAt.toISOString();
    await control.send({ kind: 'waits-here', ...state, acceptedAt, asker });
  }

  /** Handles the response of another gateway. */
  handleResponse(answer: LookupResponse): void {
    if (answer.asker !== this.#options.instance) return;
    for (const resolveLookup of this.#lookups.get(answer.runId) ?? []) resolveLookup(answer);
  }

  #here(userId: string, runId: string): LocatedRun | null {
    const pendingRun = this.#options.pendingRuns.find(runId);
    return pendingRun?.options.userId === userId ? locatedRunOf(pendingRun) : null;
  }

  /** UUIDv7 ids contain a timestamp, so most unknown ids can be rejected without asking other gateways. */
  #canBePending(runId: string): boolean {
    const createdAt = Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);
    const age = machineTime() - createdAt;
    const maximumAge = this.#options.deadlineMilliseconds + CLOCK_TOLERANCE_MILLISECONDS;
    return runId[14] === '7' && age > -CLOCK_TOLERANCE_MILLISECONDS && age < maximumAge;
  }

  #lookUp(userId: string, runId: string): Promise<LookupResponse | null> {
    const { control, instance } = this.#options;
    const callbacks = this.#lookups.get(runId) ?? new Set();
    this.#lookups.set(runId, callbacks);
    return new Promise((resolve) => {
      const settle = (answer: LookupResponse | null): void => {
        clearTimeout(timer);
        callbacks.delete(settle);
        if (callbacks.size === 0) this.#lookups.delete(runId);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(null), RESPONSE_TIMEOUT_MILLISECONDS);
      callbacks.add(settle);
      void control.send({ kind: 'who-waits', runId, userId, asker: instance });
    });
  }
}

function locatedRunOf({ options, attempt, publishedAt }: PendingRun): LocatedRun {
  const { runId, flowId, sessionId, pool } = options;
  return { runId, flowId, sessionId, pool, attempt, acceptedAt: new Date(publishedAt) };
}
