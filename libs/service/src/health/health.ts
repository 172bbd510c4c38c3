import { withDeadline } from '../time/with-deadline';

export interface HealthCheckResult {
  readonly ok: boolean;
  readonly milliseconds: number;
  readonly error?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, HealthCheckResult>>;
}

export interface HealthCheckOptions {
  readonly timeoutMilliseconds: number;
  /** A function is asked each time, once the check is done. */
  readonly isNeeded?: boolean | (() => boolean);
}

interface HealthCheck {
  readonly check: () => Promise<void>;
  readonly timeoutMilliseconds: number;
  readonly isNeeded: () => boolean;
}

/** What this process needs to do its work, asked when somebody wants to know. */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();
  #shuttingDown = false;
  #asking: Promise<Readiness> | undefined;

  /**
   * Adds a check: it resolves when the part is usable, and fails by rejecting or by taking too long. A part that is not
   * needed (they are unless told otherwise) is shown, and does not decide.
   */
  add(
    name: string,
    check: () => Promise<void>,
    { timeoutMilliseconds, isNeeded = true }: HealthCheckOptions,
  ): void {
    const decides = typeof isNeeded === 'function' ? isNeeded : () => isNeeded;
    this.#checks.set(name, { check, timeoutMilliseconds, isNeeded: decides });
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** From now on not ready, so that balancers send nothing new while work in hand ends. */
  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /** Begins the shutdown; resolves after the time that balancers have to notice. Work goes on meanwhile. */
  async drain(milliseconds: number): Promise<void> {
    this.beginShutdown();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Runs all checks at once; callers that ask meanwhile share the answer. Never rejects. */
  ready(): Promise<Readiness> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<Readiness> {
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await runCheck(name, check)] as const),
    );
    const checks: Record<string, HealthCheckResult> = Object.fromEntries(entries);
    if (this.#shuttingDown) checks['shutdown'] = { ok: false, milliseconds: 0, error: 'shutting down' };
    const decides = (name: string) => this.#checks.get(name)?.isNeeded() !== false;
    return { ready: Object.entries(checks).every(([name, { ok }]) => ok || !decides(name)), checks };
  }
}

async function runCheck(
  name: string,
  { check, timeoutMilliseconds }: HealthCheck,
): Promise<HealthCheckResult> {
  const started = performance.now();
  const elapsed = () => Math.round((performance.now() - started) * 10) / 10;
  try {
    const late = `${name} did not answer within ${timeoutMilliseconds} ms`;
    await withDeadline(Promise.resolve().then(check), timeoutMilliseconds, late);
    return { ok: true, milliseconds: elapsed() };
  } catch (error) {
    return {
      ok: false,
      milliseconds: elapsed(),
      error: error instanceof Error ? error.message : String(error),
    };
  }
}
