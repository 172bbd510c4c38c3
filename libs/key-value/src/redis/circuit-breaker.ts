export interface CircuitBreakerOptions {
  /** In a row, until calls are refused. */
  readonly maximumFailures: number;
  readonly pauseMilliseconds: number;
}

/**
 * Decides whether a call is worth its time. After so many failures in a row it refuses for a while, then lets one call
 * through: that one's outcome decides about the others.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #openUntil = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether a call may go out at this moment; the one that tries again after a pause counts as on its way. */
  admits(nowMilliseconds: number): boolean {
    if (this.#failures < this.#options.maximumFailures) return true;
    if (nowMilliseconds < this.#openUntil) return false;
    this.#openUntil = nowMilliseconds + this.#options.pauseMilliseconds;
    return true;
  }

  /** Returns true when this closed the breaker. */
  succeeded(): boolean {
    const wasOpen = this.#failures >= this.#options.maximumFailures;
    this.#failures = 0;
    return wasOpen;
  }

  /** Returns true when this opened the breaker. */
  failed(nowMilliseconds: number): boolean {
    this.#failures += 1;
    if (this.#failures < this.#options.maximumFailures) return false;
    this.#openUntil = nowMilliseconds + this.#options.pauseMilliseconds;
    return this.#failures === this.#options.maximumFailures;
  }
}
