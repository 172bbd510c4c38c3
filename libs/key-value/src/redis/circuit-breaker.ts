export interface CircuitBreakerOptions {
  /** Number of consecutive failures after which calls are refused. */
  readonly maximumFailures: number;
  readonly pauseMilliseconds: number;
}

/**
 * Refuses calls for a pause after a number of consecutive failures, then admits one call as a probe, whose outcome
 * decides about the others.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #openUntil = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether a call can be sent now. After a pause, returning true admits the probe. */
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
