/** Interval at which one message probes a target that does not answer. */
const PROBE_INTERVAL_MILLISECONDS = 5_000;
/** Time without a new message after which a target's state is outdated. */
const STATE_EXPIRY_MILLISECONDS = 60_000;
const MAXIMUM_TARGETS = 1_000;

interface TargetState {
  readonly exchange: string;
  readonly routingKey: string;
  /** False while messages are late, but have not timed out. */
  isTimedOut: boolean;
  isRefusing: boolean;
  nextProbeAt: number;
  lastAt: number;
}

export interface TargetProblem {
  readonly exchange: string;
  readonly routingKey: string;
  readonly problem: string;
}

/**
 * Tracks exchanges and routing keys that do not confirm their messages. A queue without a leader, or on a frozen node,
 * would otherwise fill the confirm window that all queues share.
 */
export class TargetHealth {
  readonly #states = new Map<string, TargetState>();

  /** Whether no target has a problem: the usual case, checked for each message. */
  get areAllHealthy(): boolean {
    return this.#states.size === 0;
  }

  /** Notes that a message is late or timed out. */
  noteLate(exchange: string, routingKey: string, isTimedOut: boolean, now: number): void {
    const state = this.#stateOf(exchange, routingKey, now);
    state.isTimedOut ||= isTimedOut;
  }

  /**
   * Notes a refused message: the queue is full or has no leader. It answers at once, so further messages do no harm.
   */
  noteRefused(exchange: string, routingKey: string, now: number): void {
    this.#stateOf(exchange, routingKey, now).isRefusing = true;
  }

  noteConfirmed(exchange: string, routingKey: string): void {
    if (this.#states.size > 0) this.#states.delete(keyOf(exchange, routingKey));
  }

  /** Clears the state for a new connection, possibly to another node. */
  reset(): void {
    this.#states.clear();
  }

  /** Whether a message with an alternative should use it. */
  isLate(exchange: string, routingKey: string, now: number): boolean {
    const state = this.#states.get(keyOf(exchange, routingKey));
    return state !== undefined && !state.isRefusing && !isProbeDue(state, now);
  }

  /** Whether a message must not be sent. */
  isUnresponsive(exchange: string, routingKey: string, now: number): boolean {
    const state = this.#states.get(keyOf(exchange, routingKey));
    return state !== undefined && state.isTimedOut && !state.isRefusing && !isProbeDue(state, now);
  }

  /** Returns the targets whose messages were refused or timed out. */
  problems(now: number): TargetProblem[] {
    for (const [key, { lastAt }] of this.#states)
      if (now - lastAt > STATE_EXPIRY_MILLISECONDS) this.#states.delete(key);
    return [...this.#states.values()]
      .filter(({ isTimedOut, isRefusing }) => isTimedOut || isRefusing)
      .map(({ exchange, routingKey, isRefusing }) => ({
        exchange,
        routingKey,
        problem: isRefusing ? 'RabbitMQ refuses messages to it' : 'RabbitMQ does not confirm messages to it',
      }));
  }

  #stateOf(exchange: string, routingKey: string, now: number): TargetState {
    const key = keyOf(exchange, routingKey);
    let state = this.#states.get(key);
    if (!state) {
      const nextProbeAt = now + PROBE_INTERVAL_MILLISECONDS;
      state = { exchange, routingKey, isTimedOut: false, isRefusing: false, nextProbeAt, lastAt: now };
      if (this.#states.size >= MAXIMUM_TARGETS) this.#states.clear();
      this.#states.set(key, state);
    }
    state.lastAt = now;
    return state;
  }
}

function isProbeDue(state: TargetState, now: number): boolean {
  if (now < state.nextProbeAt) return false;
  state.nextProbeAt = now + PROBE_INTERVAL_MILLISECONDS;
  return true;
}

function keyOf(exchange: string, routingKey: string): string {
  return `${exchange}\u0000${routingKey}`;
}
