import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';

const PRELOADED = join(__dirname, 'count-allocations.cjs');

/** Counts the bytes that the processes of a test system allocate on V8's heaps. */
export class AllocationMeter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-allocations-'));
  #marks = 0;

  /** What the services need in their environment to be counted. */
  get environment(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--require ${PRELOADED}`, TEST_ALLOCATIONS_FOLDER: this.#folder };
  }

  /** Resolves to the bytes that the processes of each service have allocated since their start. */
  async read(): Promise<ReadonlyMap<string, number>> {
    const mark = (this.#marks += 1);
    const processes = readdirSync(this.#folder)
      .filter((name) => name.endsWith('.process.json'))
      .map((name) => this.#json<{ pid: number; service: string }>(name));
    for (const { pid } of processes) process.kill(pid, 'SIGUSR2');
    const written = ({ pid }: { readonly pid: number }) => `${pid}.${mark}.json`;
    await until(
      () => processes.every((one) => existsSync(join(this.#folder, written(one)))),
      'a process did not report its allocations',
    );
    const bytes = new Map<string, number>();
    for (const one of processes) {
      const { allocatedBytes } = this.#json<{ allocatedBytes: number }>(written(one));
      bytes.set(one.service, (bytes.get(one.service) ?? 0) + allocatedBytes);
    }
    return bytes;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #json<Value>(name: string): Value {
    return JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Value;
  }
}
