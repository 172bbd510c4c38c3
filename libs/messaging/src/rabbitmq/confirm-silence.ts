/** Maximum number of windows of unanswered messages, because amqplib keeps them in memory. */
const MAXIMUM_UNANSWERED_WINDOWS = 4;

export interface ConfirmSilenceOptions {
  /** Number of confirm timeouts without an answer after which the channel and its connection are given up. */
  readonly stuckTimeouts: number;
  readonly confirmWindow: number;
  readonly confirmTimeoutMilliseconds: number;
}

/** Measures how long RabbitMQ has not answered the messages of a channel. Times are those of `performance.now`. */
export class ConfirmSilence {
  readonly #options: ConfirmSilenceOptions;
  /** Time of the first message that was sent after RabbitMQ's last answer. */
  #since: number | null = null;

  constructor(options: ConfirmSilenceOptions) {
    this.#options = options;
  }

  sent(now: number): void {
    this.#since ??= now;
  }

  answered(): void {
    this.#since = null;
  }

  /** Whether only a new connection can help: too many messages are unanswered, or for too long. */
  isStuck(now: number, overdue: number, isBlocked: boolean): boolean {
    const { confirmWindow, confirmTimeoutMilliseconds, stuckTimeouts } = this.#options;
    if (overdue > MAXIMUM_UNANSWERED_WINDOWS * confirmWindow) return true;
    const silentFor = now - (this.#since ?? now);
    return overdue > 0 && silentFor > stuckTimeouts * confirmTimeoutMilliseconds && !isBlocked;
  }
}
