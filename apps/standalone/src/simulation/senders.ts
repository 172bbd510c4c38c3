import type { Random } from './random';
import { MAXIMUM_ATTEMPTS } from './simulated-services';
import type { SimulatedWorld } from './simulated-world';
import type { StoredRun } from './stored-runs';

interface Accepted {
  readonly work: string;
  readonly runId: string;
  isCancelled: boolean;
}

export interface SendersSurroundings {
  readonly world: SimulatedWorld;
  readonly random: Random;
  note(what: string): void;
  count(what: string): void;
  /** What an attempt may rightly be counted for, so far. */
  deaths(): number;
}

/** Those who send webhooks, and what they were promised. */
export class Senders {
  readonly #surroundings: SendersSurroundings;
  readonly #accepted = new Map<string, Accepted>();
  #deliveries = 0;

  constructor(surroundings: SendersSurroundings) {
    this.#surroundings = surroundings;
  }

  send(): void {
    const { random } = this.#surroundings;
    const isPoison = random.chance(0.03);
    const milliseconds = random.pick([1, 1, 200, 900, 4_000, 25_000] as const);
    const work = isPoison ? 'poison' : `${milliseconds} ${random.chance(0.1) ? 'fail' : 'done'}`;
    this.#deliveries += 1;
    this.#send(work, `delivery-${this.#deliveries}`);
  }

  /** A sender that did not hear of its 202 says the same again. */
  sendAgain(): void {
    const known = [...this.#accepted];
    if (known.length === 0) return;
    const [deliveryId, { work }] = this.#surroundings.random.pick(known);
    this.#send(work, deliveryId);
  }

  /** One of them has a run cancelled. */
  async cancel(): Promise<void> {
    const { world, random, note } = this.#surroundings;
    const [...known] = this.#accepted.values();
    if (known.length === 0) return;
    const run = random.pick(known);
    run.isCancelled = true;
    note(`cancel ${run.work}`);
    await world.cancel(run.runId);
  }

  /** What was promised and does not hold. */
  faults(rows: ReadonlyMap<string, StoredRun>): string[] {
    return [...this.#accepted].flatMap(([delivery, run]) => {
      const row = rows.get(run.runId);
      if (!row) return [`${delivery} was accepted and is not there`];
      return this.#faultsOf(run, row).map((text) => `${delivery} (${run.work}): ${text}`);
    });
  }

  #send(work: string, deliveryId: string): void {
    const { world, note, count } = this.#surroundings;
    note(`webhook ${deliveryId}: ${work}`);
    void world.webhook(work, deliveryId).then((runId) => {
      if (runId === null) return;
      const known = this.#accepted.get(deliveryId);
      if (known !== undefined) count('accepted again');
      if (known !== undefined && known.runId !== runId)
        note(`BROKEN: ${deliveryId} is ${known.runId} and ${runId}`);
      this.#accepted.set(deliveryId, known ?? { work, runId, isCancelled: false });
      note(`202 for ${deliveryId}`);
    });
  }

  #faultsOf({ work, runId, isCancelled }: Accepted, row: StoredRun): string[] {
    const { world, count, deaths } = this.#surroundings;
    const faults: string[] = [];
    const begun = new Set(
      world.executions.filter((one) => one.runId === runId).map(({ attempt }) => attempt),
    );
    count(row.status);
    if (begun.size > 1) count('attempted again');
    if (row.sweeps > 0) count('swept');
    if (row.status === 'succeeded' && work.endsWith('fail'))
      faults.push('succeeded although its work failed');
    if (row.status === 'succeeded' && row.result?.includes(`${work} in attempt ${row.attempt}`) !== true)
      faults.push(`has a result that is not of its attempt ${row.attempt}`);
    if (row.status === 'failed' && !work.endsWith('fail')) faults.push('failed although its work does not');
    if (row.status === 'cancelled' && !isCancelled) faults.push('was cancelled by nobody');
    if (row.status === 'timed_out') faults.push('timed out although its work is short');
    if (row.status === 'dead' && work !== 'poison' && deaths() < MAXIMUM_ATTEMPTS)
      faults.push(`is dead after ${deaths()} deaths of executors`);
    if (row.status === 'succeeded' && begun.size === 0) faults.push('succeeded without having run');
    return faults;
  }
}
