import type { ServiceProcess } from '@millrace/scaled-system';
import type { TestSystem } from './test-system';

/** The executors of one pool, as many as were wanted last. Starting and stopping goes on in the background. */
export class ExecutorProcesses {
  readonly #system: Pick<TestSystem, 'startExecutor'>;
  readonly #pool: string;
  readonly #running: ServiceProcess[] = [];
  #wanted = 0;
  #work: Promise<void> | undefined;
  #failure: unknown;

  constructor(system: Pick<TestSystem, 'startExecutor'>, pool: string) {
    this.#system = system;
    this.#pool = pool;
  }

  get running(): readonly ServiceProcess[] {
    return this.#running;
  }

  get ports(): readonly number[] {
    return this.#running.map(({ ready }) => Number(ready['healthPort']));
  }

  /** Throws what a start or a stop failed with. */
  want(count: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#wanted = count;
    this.#work ??= this.#adjust()
      .catch((error: unknown) => void (this.#failure = error))
      .finally(() => void (this.#work = undefined));
  }

  /** Resolves when as many run as were wanted last. */
  async settled(): Promise<void> {
    await this.#work;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #adjust(): Promise<void> {
    while (this.#running.length !== this.#wanted)
      if (this.#running.length < this.#wanted)
        this.#running.push(await this.#system.startExecutor(this.#pool));
      else await this.#running.pop()?.stop();
  }
}
