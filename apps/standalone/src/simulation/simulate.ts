import { Random } from './random';
import { MAXIMUM_ATTEMPTS, SILENCE_MILLISECONDS, SimulatedWorld } from './simulated-world';
import type { SimulatedProcess } from './simulated-process';
import type { Ground, Member } from './simulated-world';

/** How one seed went. */
export interface SimulationReport {
  readonly seed: number;
  /** What was done, in order, with the simulation's time. */
  readonly timeline: readonly string[];
  /** Invariants that do not hold; none when all is well. */
  readonly violations: readonly string[];
  /** How often each kind of thing happened that a good simulation has seen. */
  readonly seen: Readonly<Record<string, number>>;
}

interface Accepted {
  readonly work: string;
  readonly runId: string;
  isCancelled: boolean;
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly free: number;
  readonly sweeps: number;
  readonly result: string | null;
}

interface Transition {
  readonly run_id: string;
  readonly before: string;
  readonly after: string;
}

/** Not truncated: each prepared statement would be planned again. */
const FORGET = 'DELETE FROM runs; DELETE FROM messages; DELETE FROM simulation.transitions';
const FASTEST_RECOVERY_STEP = 2_000;
const LONGEST_RECOVERY_MILLISECONDS = 30 * 60_000;
const LONGEST_STOP_SECONDS = 60;
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead']);

/** Lets an installation live through one seed's events, heals everything, and checks what came of every run. */
export async function simulate(ground: Ground, seed: number): Promise<SimulationReport> {
  return new Simulation(ground, seed).run();
}

class Simulation {
  readonly #ground: Ground;
  readonly #seed: number;
  readonly #random: Random;
  readonly #world: SimulatedWorld;
  readonly #timeline: string[] = [];
  readonly #accepted = new Map<string, Accepted>();
  readonly #seen: Record<string, number> = {};
  readonly #begun: number;
  /** Deaths and standstills: what an attempt may rightly be counted for. */
  #deaths = 0;
  /** How often a process was cut off: its lost attempts count when it dies before it can say that it lives. */
  readonly #cuts = new Map<SimulatedProcess, number>();
  #deliveries = 0;

  constructor(ground: Ground, seed: number) {
    this.#ground = ground;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#world = new SimulatedWorld(ground, this.#random, (member) => this.#countDeath(member));
    this.#begun = ground.time.now;
  }

  async run(): Promise<SimulationReport> {
    const random = Math.random;
    Math.random = this.#random.next;
    try {
      await this.#world.open();
      const events = this.#random.between(6, 16);
      for (let count = 0; count < events; count += 1) {
        await this.#random.pick(this.#events())();
        if (this.#random.chance(0.7)) await this.#pass(this.#random.between(1, 3_000));
      }
      await this.#heal();
      await this.#recover();
      const violations = await this.#check();
      for (const message of this.#world.logged.keys()) this.#count(message);
      return { seed: this.#seed, timeline: this.#timeline, violations, seen: this.#seen };
    } finally {
      Math.random = random;
      await this.#end();
    }
  }

  /** The more often something stands here, the more often it happens. */
  #events(): (() => Promise<void>)[] {
    const accept = () => this.#accept();
    return [
      ...[accept, accept, accept, accept],
      () => this.#acceptAgain(),
      () => this.#cancel(),
      () => this.#killExecutor(),
      () => this.#killExecutor(),
      () => this.#freezeExecutor(),
      () => this.#cutExecutor(),
      () => this.#cutAll(),
      () => this.#drainExecutor(),
      () => this.#killIngest(),
      () => this.#breakDatabase(),
      () => this.#breakBroker(),
      () => this.#loseMessages(),
      () => this.#pass(this.#random.between(3_000, 20_000)),
    ];
  }

  async #accept(): Promise<void> {
    const isPoison = this.#random.chance(0.03);
    const milliseconds = this.#random.pick([1, 1, 200, 900, 4_000, 25_000] as const);
    const work = isPoison ? 'poison' : `${milliseconds} ${this.#random.chance(0.1) ? 'fail' : 'done'}`;
    this.#deliveries += 1;
    await this.#send(work, `delivery-${this.#deliveries}`);
  }

  /** A sender that did not hear of its 202 says the same again. */
  async #acceptAgain(): Promise<void> {
    const known = [...this.#accepted];
    if (known.length === 0) return;
    const [deliveryId, { work }] = this.#random.pick(known);
    await this.#send(work, deliveryId);
  }

  async #send(work: string, deliveryId: string): Promise<void> {
    this.#note(`webhook ${deliveryId}: ${work}`);
    const answered = this.#world.webhook(work, deliveryId).then((runId) => {
      if (runId === null) return;
      const known = this.#accepted.get(deliveryId);
      if (known !== undefined) this.#count('accepted again');
      if (known !== undefined && known.runId !== runId)
        this.#note(`BROKEN: ${deliveryId} is ${known.runId} and ${runId}`);
      this.#accepted.set(deliveryId, known ?? { work, runId, isCancelled: false });
      this.#note(`202 for ${deliveryId}`);
    });
    void answered;
    if (this.#random.chance(0.5)) await this.#pass(this.#random.between(1, 60));
  }

  async #cancel(): Promise<void> {
    const [...known] = this.#accepted.values();
    if (known.length === 0) return;
    const run = this.#random.pick(known);
    run.isCancelled = true;
    this.#note(`cancel ${run.work}`);
    await this.#world.cancel(run.runId);
  }

  async #killExecutor(): Promise<void> {
    const member = this.#living();
    if (!member) return;
    this.#note(`kill ${member.process.name}`);
    this.#countDeath(member);
    this.#world.kill(member);
    if (this.#random.chance(0.7)) {
      await this.#pass(this.#random.between(1, 2_000));
      await this.#world.startExecutor();
    }
  }

  async #freezeExecutor(): Promise<void> {
    const member = this.#living();
    if (!member) return;
    const milliseconds = this.#random.between(500, 40_000);
    this.#note(`freeze ${member.process.name} for ${milliseconds} ms`);
    this.#countDeath(member);
    member.process.freeze();
    if (milliseconds > SILENCE_MILLISECONDS) {
      await this.#pass(SILENCE_MILLISECONDS);
      member.connection.cut();
      await this.#pass(milliseconds - SILENCE_MILLISECONDS);
    } else await this.#pass(milliseconds);
    member.process.thaw();
    this.#note(`thaw ${member.process.name}`);
    if (this.#random.chance(0.5)) await this.#pass(this.#random.between(1, 300));
    await member.connection.reconnect();
  }

  async #cutExecutor(): Promise<void> {
    const member = this.#living();
    if (!member) return;
    this.#note(`cut ${member.process.name}`);
    this.#cut(member);
    await this.#pass(this.#random.between(1, 3_000));
    await member.connection.reconnect();
  }

  async #cutAll(): Promise<void> {
    this.#note('cut everybody');
    const members = this.#members();
    for (const member of members) this.#cut(member);
    await this.#pass(this.#random.between(1, 8_000));
    for (const { connection } of members) await connection.reconnect();
  }

  async #drainExecutor(): Promise<void> {
    const member = this.#living();
    if (!member) return;
    this.#note(`drain ${member.process.name}`);
    const closing = member.process.start(() => member.service.close({ deadlineMilliseconds: 5_000 }));
    await this.#passUntilStopped(member.process, closing);
    this.#world.kill(member);
    await this.#world.startExecutor();
  }

  async #killIngest(): Promise<void> {
    if (this.#world.ingest === null) return;
    this.#note('kill ingest');
    this.#world.kill(this.#world.ingest);
    await this.#pass(this.#random.between(1, 4_000));
    await this.#world.startIngest();
  }

  async #breakDatabase(): Promise<void> {
    const server = this.#world.databaseServer;
    server.state = this.#random.pick(['down', 'flaky', 'flaky', 'stalled'] as const);
    this.#note(`database ${server.state}`);
    for (let count = 0; count < 2; count += 1) {
      await this.#accept();
      await this.#pass(this.#random.between(100, 9_000));
    }
    server.state = 'up';
    this.#note('database up');
  }

  async #breakBroker(): Promise<void> {
    const { broker } = this.#world;
    const isBlocked = this.#random.chance(0.4);
    this.#note(isBlocked ? 'broker blocked' : 'broker flaky');
    broker.isBlocked = isBlocked;
    broker.isFlaky = !isBlocked;
    for (let count = 0; count < 2; count += 1) {
      await this.#accept();
      await this.#pass(this.#random.between(100, 6_000));
    }
    broker.isBlocked = false;
    broker.isFlaky = false;
  }

  async #loseMessages(): Promise<void> {
    this.#note('lose messages');
    await this.#world.loseMessages();
  }

  async #heal(): Promise<void> {
    this.#note('heal');
    for (const { process, connection } of this.#members()) {
      process.thaw();
      await connection.reconnect();
    }
    while (this.#livingOnes().length < 3) await this.#world.startExecutor();
  }

  /** Waits, as long as it may take, until every row has its end; poison may need new executors. */
  async #recover(): Promise<void> {
    const giveUpAt = this.#ground.time.now + LONGEST_RECOVERY_MILLISECONDS;
    let step = FASTEST_RECOVERY_STEP;
    while (this.#ground.time.now < giveUpAt) {
      const open = (await this.#rows()).filter(({ status }) => !ENDED.has(status));
      if (open.length === 0 && (await this.#world.backlog()) === 0) return;
      while (this.#livingOnes().length < 3) await this.#world.startExecutor();
      await this.#pass(step);
      step = Math.min(step + 1_000, 10_000);
    }
  }

  async #check(): Promise<string[]> {
    const violations: string[] = this.#timeline.filter((line) => line.includes('BROKEN'));
    const rows = new Map((await this.#rows()).map((row) => [row.id, row]));
    for (const [delivery, run] of this.#accepted) {
      const row = rows.get(run.runId);
      if (!row) violations.push(`${delivery} was accepted and is not there`);
      else violations.push(...this.#faultsOf(delivery, run, row));
    }
    violations.push(...(await this.#faultyTransitions()));
    const backlog = await this.#world.backlog();
    if (backlog > 0) violations.push(`${backlog} messages wait for runs that are over`);
    return violations;
  }

  #faultsOf(delivery: string, { work, runId, isCancelled }: Accepted, row: Row): string[] {
    const faults: string[] = [];
    const fault = (text: string) => faults.push(`${delivery} (${work}): ${text}`);
    const begun = new Set(
      this.#world.executions.filter((one) => one.runId === runId).map(({ attempt }) => attempt),
    );
    this.#count(row.status);
    if (begun.size > 1) this.#count('attempted again');
    if (row.sweeps > 0) this.#count('swept');
    if (!ENDED.has(row.status)) fault(`has not ended but is ${row.status}`);
    if (row.attempt - row.free > MAXIMUM_ATTEMPTS)
      fault(`has ${row.attempt} attempts, ${row.free} of them free`);
    if (row.status === 'succeeded' && work.endsWith('fail')) fault('succeeded although its work failed');
    if (row.status === 'succeeded' && row.result?.includes(`${work} in attempt ${row.attempt}`) !== true)
      fault(`has a result that is not of its attempt ${row.attempt}`);
    if (row.status === 'failed' && !work.endsWith('fail')) fault('failed although its work does not');
    if (row.status === 'cancelled' && !isCancelled) fault('was cancelled by nobody');
    if (row.status === 'timed_out') fault('timed out although its work is short');
    if (row.status === 'dead' && work !== 'poison' && this.#deaths < MAXIMUM_ATTEMPTS)
      fault(`is dead after ${this.#deaths} deaths of executors`);
    if (row.status === 'succeeded' && begun.size === 0) fault('succeeded without having run');
    return faults;
  }

  /** One end for each run, and nothing after it. */
  async #faultyTransitions(): Promise<string[]> {
    const { rows } = await this.#ground.database.query<Transition>({
      text: 'SELECT run_id, before, after FROM simulation.transitions',
    });
    const ends = new Map<string, number>();
    const violations: string[] = [];
    for (const { run_id, before, after } of rows) {
      if (ENDED.has(before)) violations.push(`${run_id} went from ${before} to ${after}`);
      if (ENDED.has(after)) ends.set(run_id, (ends.get(run_id) ?? 0) + 1);
    }
    for (const [runId, count] of ends) if (count > 1) violations.push(`${runId} ended ${count} times`);
    return violations;
  }

  async #rows(): Promise<Row[]> {
    const { rows } = await this.#ground.database.query<Row>({
      text: 'SELECT id, status, attempt, free_attempts AS free, sweeps, result FROM runs',
    });
    return rows;
  }

  async #end(): Promise<void> {
    for (const member of this.#members()) this.#world.kill(member);
    this.#ground.time.restart();
    await this.#ground.database.query({ text: FORGET });
  }

  #members(): Member<unknown>[] {
    return [...this.#livingOnes(), ...(this.#world.ingest ? [this.#world.ingest] : [])];
  }

  #livingOnes() {
    return this.#world.executors.filter(({ process }) => process.state !== 'dead');
  }

  #living() {
    const living = this.#livingOnes();
    return living.length === 0 ? undefined : this.#random.pick(living);
  }

  /** Lets time pass until a process that was told to stop has done so, or died; that it never does is a violation. */
  async #passUntilStopped(process: SimulatedProcess, stopping: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    stopping.then(over, over);
    for (let seconds = 0; !isOver && process.state !== 'dead'; seconds += 1) {
      if (seconds > LONGEST_STOP_SECONDS) return this.#note(`BROKEN: ${process.name} does not stop`);
      await this.#pass(1_000);
    }
  }

  async #pass(milliseconds: number): Promise<void> {
    await this.#ground.time.advance(milliseconds);
  }

  #cut({ process, connection }: Member<unknown>): void {
    this.#cuts.set(process, (this.#cuts.get(process) ?? 0) + 1);
    connection.cut();
  }

  #countDeath({ process }: Member<unknown>): void {
    this.#deaths += 1 + (this.#cuts.get(process) ?? 0);
  }

  #count(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1;
  }

  #note(what: string): void {
    const seconds = ((this.#ground.time.now - this.#begun) / 1_000).toFixed(3);
    this.#timeline.push(`${seconds.padStart(9)} s  ${what}`);
  }
}
