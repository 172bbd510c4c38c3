import type { Random } from './random';
import { MAXIMUM_ATTEMPTS } from './simulated-services';
import type { SimulatedWorld } from './simulated-world';
import type { Persons } from './persons';
import { drawQuestion, questionIn } from './simulated-question';
import type { StoredRun, Suspensions } from './stored-runs';

interface Accepted {
  readonly work: string;
  readonly runId: string;
  isCancelled: boolean;
}

export interface SendersDependencies {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly persons: Pick<Persons, 'hasCancelled'>;
  note(what: string): void;
  count(what: string): void;
  /** Returns the number of crashes and freezes so far, for which an attempt may be counted. */
  crashes(): number;
}

const SHARE_OF_QUESTIONS = 0.25;

/** Senders of webhooks, and checks of what they were promised. */
export class Senders {
  readonly #dependencies: SendersDependencies;
  readonly #accepted = new Map<string, Accepted>();
  #deliveries = 0;

  constructor(dependencies: SendersDependencies) {
    this.#dependencies = dependencies;
  }

  send(): void {
    const { random } = this.#dependencies;
    if (random.chance(SHARE_OF_QUESTIONS)) return this.sendQuestion();
    const isPoison = random.chance(0.03);
    const milliseconds = random.pick([1, 1, 200, 900, 4_000, 25_000] as const);
    const work = isPoison ? 'poison' : `${milliseconds} ${random.chance(0.1) ? 'fail' : 'done'}`;
    this.#sendNew(work);
  }

  /** Starts a run that asks a person. */
  sendQuestion(): void {
    this.#sendNew(drawQuestion(this.#dependencies.random));
  }

  /** Repeats a delivery, as a sender that did not receive its 202 does. */
  sendAgain(): void {
    const known = [...this.#accepted];
    if (known.length === 0) return;
    const [deliveryId, { work }] = this.#dependencies.random.pick(known);
    this.#send(work, deliveryId);
  }

  /** Cancels an accepted run. */
  async cancel(): Promise<void> {
    const { world, random, note } = this.#dependencies;
    const [...known] = this.#accepted.values();
    if (known.length === 0) return;
    const run = random.pick(known);
    run.isCancelled = true;
    note(`cancel ${run.work}`);
    await world.cancel(run.runId);
  }

  /** Returns violations of what was promised. */
  violations(rows: ReadonlyMap<string, StoredRun>, suspensions: ReadonlyMap<string, Suspensions>): string[] {
    return [...this.#accepted].flatMap(([delivery, run]) => {
      const row = rows.get(run.runId);
      if (!row) return [`${delivery} was accepted, but its run does not exist`];
      return this.#violationsOf(run, row, suspensions.get(run.runId)?.pauses ?? []).map(
        (text) => `${delivery} (${run.work}): ${text}`,
      );
    });
  }

  #sendNew(work: string): void {
    this.#deliveries += 1;
    this.#send(work, `delivery-${this.#deliveries}`);
  }

  #send(work: string, deliveryId: string): void {
    const { world, note, count } = this.#dependencies;
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

  #violationsOf(
    { work, runId, isCancelled }: Accepted,
    row: StoredRun,
    [firstPause]: readonly number[],
  ): string[] {
    const { world, persons, count, crashes } = this.#dependencies;
    const violations: string[] = [];
    const startedAttempts = new Set(world.work.of(runId).map(({ attempt }) => attempt));
    const question = questionIn(work);
    // The work before a question has the result of the attempt that was suspended.
    const attempt = question === null ? row.attempt : firstPause;
    count(row.status);
    if (startedAttempts.size > 1) count('attempted again');
    if (row.sweeps > 0) count('swept');
    if (row.retries > 0) count('repeated by its rule');
    if (row.status === 'succeeded' && work.endsWith('fail'))
      violations.push('succeeded although its work failed');
    if (row.status === 'succeeded' && row.result?.includes(`${work} in attempt ${attempt}`) !== true)
      violations.push(`has a result that is not of its attempt ${attempt}`);
    if (row.status === 'failed' && !work.endsWith('fail'))
      violations.push('failed although its work does not');
    if (row.status === 'cancelled' && !isCancelled && !persons.hasCancelled(runId))
      violations.push('was cancelled without a request');
    if (row.status === 'timed_out' && question?.kind !== 'end')
      violations.push('timed out although its work is short');
    if (row.status === 'dead' && !work.endsWith('poison') && crashes() < MAXIMUM_ATTEMPTS)
      violations.push(`is dead after ${crashes()} crashes of executors`);
    if (row.status === 'succeeded' && startedAttempts.size === 0)
      violations.push('succeeded without an execution');
    return violations;
  }
}
