import { withDeadline } from '../time/with-deadline';

export interface HealthCheckResult {
  readonly ok: boolean;
  readonly milliseconds: number;
  readonly error?: string;
  /** What a successful check reported, as JSON. */
  readonly details?: HealthDetails;
}

export type HealthDetails = Readonly<Record<string, unknown>>;

/** Resolves when the dependency is usable: to an object with details, or to nothing. */
export type HealthProbe = () => Promise<unknown>;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, HealthCheckResult>>;
}

export interface HealthCheckOptions {
  readonly timeoutMilliseconds: number;
  /** Whether the check affects readiness. A function is called each time, after the check. */
  readonly isNeeded?: boolean | (() => boolean);
}

interface HealthCheck {
  readonly check: HealthProbe;
  readonly timeoutMilliseconds: number;
  readonly isNeeded: () => boolean;
}

/** The readiness checks of this process, run on request. */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();
  #shuttingDown = false;
  #readiness: Promise<Readiness> | undefined;

  /**
   * Adds a check. It resolves when the dependency is usable, and fails by rejecting or by exceeding its timeout. A
   * check that is not needed (checks are needed by default) is reported but does not affect readiness.
   */
  add(name: string, check: HealthProbe, { timeoutMilliseconds, isNeeded = true }: HealthCheckOptions): void {
    const affectsReadiness = typeof isNeeded === 'function' ? isNeeded : () => isNeeded;
    this.#checks.set(name, { check, timeoutMilliseconds, isNeeded: affectsReadiness });
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Reports not ready from now on, so that balancers send no new requests while current work finishes. */
  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /** Begins the shutdown; resolves after the time that balancers have to notice. Work continues in the meantime. */
  async drain(milliseconds: number): Promise<void> {
    this.beginShutdown();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Runs all checks concurrently; concurrent callers share the result. Never rejects. */
  ready(): Promise<Readiness> {
    this.#readiness ??= this.#runChecks().finally(() => {
      this.#readiness = undefined;
    });
    return this.#readiness;
  }

  async #runChecks(): Promise<Readiness> {
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await runCheck(name, check)] as const),
    );
    const checks: Record<string, HealthCheckResult> = Object.fromEntries(entries);
    if (this.#shuttingDown) checks['shutdown'] = { ok: false, milliseconds: 0, error: 'shutting down' };
    const affectsReadiness = (name: string) => this.#checks.get(name)?.isNeeded() !== false;
    return { ready: Object.entries(checks).every(([name, { ok }]) => ok || !affectsReadiness(name)), checks };
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
    const details = await withDeadline(Promise.resolve().then(check), timeoutMilliseconds, late);
    const hasDetails = typeof details === 'object' && details !== null;
    return {
      ok: true,
      milliseconds: elapsed(),
      ...(hasDetails && { details: details as HealthDetails }),
    };
  } catch (error) {
    return {
      ok: false,
      milliseconds: elapsed(),
      error: error instanceof Error ? error.message : String(error),
    };
  }
}
