import { nowWithMicroseconds, timestamp } from '@millrace/flow';
import type { Plan, RunOverrides, RunRequest } from '@millrace/flow';
import type { RunEnvironment } from './run-environment';
import type { RunLifetime } from './run-lifetime';
import { SharedText } from './shared-text';

/** What the vertices of one run share. */
export class OngoingRun {
  readonly #variables = new Map<string, Promise<string | undefined>>();
  readonly #texts = new Set<SharedText>();

  constructor(
    readonly plan: Plan,
    readonly request: RunRequest,
    readonly environment: RunEnvironment,
    readonly overrides: RunOverrides,
    readonly lifetime: RunLifetime,
  ) {}

  timestamp(): string {
    return timestamp(this.environment.now?.() ?? nowWithMicroseconds());
  }

  /** A variable of the request, else of the user, else of the process; each is looked up once in a run. */
  variable(name: string): Promise<string | undefined> {
    let value = this.#variables.get(name);
    if (value === undefined) {
      value = this.#findVariable(name);
      this.#variables.set(name, value);
    }
    return value;
  }

  /** Makes text that is being made readable for several, and stops its source when the run ends. */
  share(stream: AsyncIterable<string>): SharedText {
    if (stream instanceof SharedText) return stream;
    const text = new SharedText(stream, this.environment.limits.maximumOutputBytes);
    this.#texts.add(text);
    return text;
  }

  close(): void {
    for (const text of this.#texts) text.close();
  }

  async #findVariable(name: string): Promise<string | undefined> {
    const { globalVariables } = this.request;
    if (Object.hasOwn(globalVariables, name)) return globalVariables[name];
    return (await this.environment.variable(name)) ?? this.environment.environmentVariable?.(name);
  }
}
