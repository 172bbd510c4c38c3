import { Callers } from './callers';
import type { Ground } from './ground';
import { Nemesis } from './nemesis';
import { Random } from './random';
import { Senders } from './senders';
import { SimulatedWorld } from './simulated-world';
import { faultsOfRuns, faultsOfTransitions, forgetRuns, hasEnded, storedRuns } from './stored-runs';

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

const FASTEST_RECOVERY_STEP = 2_000;
const LONGEST_RECOVERY_MILLISECONDS = 30 * 60_000;
const EXECUTORS = 3;

/** Lets an installation live through one seed's events, heals everything, and checks what came of every run. */
export async function simulate(ground: Ground, seed: number): Promise<SimulationReport> {
  return new Simulation(ground, seed).run();
}

class Simulation {
  readonly #ground: Ground;
  readonly #seed: number;
  readonly #random: Random;
  readonly #world: SimulatedWorld;
  readonly #senders: Senders;
  readonly #callers: Callers;
  readonly #nemesis: Nemesis;
  readonly #timeline: string[] = [];
  readonly #seen: Record<string, number> = {};
  readonly #begun: number;
  /** Where callers wait; in some seeds there are none. */
  readonly #gateways: number;
  /** In some seeds executors lose channels and connections, and nothing worse happens: then each run is begun once. */
  readonly #isMild: boolean;

  constructor(ground: Ground, seed: number) {
    this.#ground = ground;
    this.#seed = seed;
    this.#begun = ground.time.now;
    const random = new Random(seed);
    this.#random = random;
    this.#gateways = random.pick([0, 1, 1, 2] as const);
    this.#isMild = random.chance(0.15);
    const world = new SimulatedWorld(ground, random, (member) => this.#nemesis.countDeath(member));
    this.#world = world;
    const note = (what: string) => this.#note(what);
    const count = (what: string) => this.#count(what);
    const pass = (milliseconds: number) => ground.time.advance(milliseconds);
    const nemesis = new Nemesis({ world, random, note, pass });
    this.#nemesis = nemesis;
    this.#senders = new Senders({ world, random, note, count, deaths: () => nemesis.deaths });
    const now = () => ground.time.now;
    this.#callers = new Callers({ world, random, flowId: ground.answering.id, now, note, count });
  }

  async run(): Promise<SimulationReport> {
    const random = Math.random;
    Math.random = this.#random.next;
    try {
      await this.#world.open(EXECUTORS, this.#gateways);
      const events = this.#random.between(6, 16);
      for (let count = 0; count < events; count += 1) {
        await this.#random.pick(this.#events())();
        if (this.#random.chance(0.7)) await this.#pass(3_000);
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
    const nemesis = this.#nemesis;
    const send = () => this.#meanwhile(() => this.#senders.send());
    const closeChannels = () => nemesis.closeChannels();
    if (this.#isMild) {
      const call = () => this.#meanwhile(() => this.#callers.call());
      const cuts = [() => nemesis.cutExecutor(), closeChannels, closeChannels];
      return [send, send, ...(this.#gateways === 0 ? [] : [call, call]), ...cuts, () => this.#pass(5_000)];
    }
    return [
      closeChannels,
      ...[send, send, send, send],
      () => this.#meanwhile(() => this.#senders.sendAgain()),
      () => this.#senders.cancel(),
      () => nemesis.killExecutor(),
      () => nemesis.killExecutor(),
      () => nemesis.freezeExecutor(),
      () => nemesis.freezeExecutor(),
      () => nemesis.cutExecutor(),
      () => nemesis.cutAll(),
      () => nemesis.drainExecutor(),
      () => nemesis.killIngest(),
      () => this.#breakDatabase(),
      () => this.#breakBroker(),
      () => this.#loseMessages(),
      () => this.#pass(20_000, 3_000),
      ...(this.#gateways === 0 ? [] : this.#eventsOfCallers()),
    ];
  }

  #eventsOfCallers(): (() => Promise<void>)[] {
    const nemesis = this.#nemesis;
    const call = () => this.#meanwhile(() => this.#callers.call());
    return [
      ...[call, call, call],
      () => this.#meanwhile(() => this.#callers.callAgain()),
      () => this.#meanwhile(() => this.#callers.leave()),
      () => nemesis.killGateway(),
      () => nemesis.cutGateway(),
      () => nemesis.drainGateway(),
    ];
  }

  /** What somebody does goes on while the next thing happens. */
  async #meanwhile(begin: () => void): Promise<void> {
    begin();
    if (this.#random.chance(0.5)) await this.#pass(60);
  }

  async #breakDatabase(): Promise<void> {
    const server = this.#world.databaseServer;
    server.state = this.#random.pick(['down', 'flaky', 'flaky', 'stalled'] as const);
    this.#note(`database ${server.state}`);
    this.#callers.databaseFails();
    await this.#runMore(9_000);
    server.state = 'up';
    this.#callers.databaseRecovers();
    this.#note('database up');
  }

  async #breakBroker(): Promise<void> {
    const { broker } = this.#world;
    const isBlocked = this.#random.chance(0.4);
    this.#note(isBlocked ? 'broker blocked' : 'broker flaky');
    broker.isBlocked = isBlocked;
    broker.isFlaky = !isBlocked;
    await this.#runMore(6_000);
    broker.isBlocked = false;
    broker.isFlaky = false;
    this.#note('broker well');
  }

  /** Work comes in although something is broken. */
  async #runMore(longestMilliseconds: number): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      this.#senders.send();
      this.#callers.call();
      await this.#pass(longestMilliseconds, 100);
    }
  }

  async #loseMessages(): Promise<void> {
    this.#note('lose messages');
    await this.#world.loseMessages();
  }

  async #heal(): Promise<void> {
    this.#note('heal');
    for (const { process, connection } of this.#world.members()) {
      process.thaw();
      await connection.reconnect();
    }
    await this.#startMissing();
  }

  /** Waits, as long as it may take, until every row has its end; poison may need new executors. */
  async #recover(): Promise<void> {
    const { time, database } = this.#ground;
    const giveUpAt = time.now + LONGEST_RECOVERY_MILLISECONDS;
    let step = FASTEST_RECOVERY_STEP;
    while (time.now < giveUpAt) {
      const isQuiet = this.#callers.waiting === 0 && (await this.#world.backlog()) === 0;
      if (isQuiet && [...(await storedRuns(database)).values()].every(hasEnded)) return;
      await this.#startMissing();
      await time.advance(step);
      step = Math.min(step + 1_000, 10_000);
    }
  }

  async #startMissing(): Promise<void> {
    while (this.#world.living().length < EXECUTORS) await this.#world.startExecutor();
  }

  async #check(): Promise<string[]> {
    const { database } = this.#ground;
    const rows = await storedRuns(database);
    const backlog = await this.#world.backlog();
    return [
      ...this.#timeline.filter((line) => line.includes('BROKEN')),
      ...this.#senders.faults(rows),
      ...this.#callers.faults(rows),
      ...faultsOfRuns(rows),
      ...(this.#isMild ? this.#faultsOfMildSeeds() : []),
      ...(await faultsOfTransitions(database)),
      ...(backlog > 0 ? [`${backlog} messages wait for runs that are over`] : []),
    ];
  }

  /** What the transport gives out again is no further attempt. */
  #faultsOfMildSeeds(): string[] {
    // Poison is the death of an executor.
    if (this.#nemesis.deaths > 0) return [];
    this.#count('mild');
    const begun = new Map<string, string[]>();
    for (const { runId, attempt, process, at } of this.#world.executions) {
      const seconds = (at - this.#begun) / 1_000;
      begun.set(runId, [...(begun.get(runId) ?? []), `attempt ${attempt} at ${process} after ${seconds} s`]);
    }
    return [...begun]
      .filter(([, times]) => times.length > 1)
      .map(([runId, times]) => `${runId} was begun again although no executor died: ${times.join(', ')}`);
  }

  async #end(): Promise<void> {
    for (const member of this.#world.members()) this.#world.kill(member);
    this.#ground.time.restart();
    await forgetRuns(this.#ground.database);
  }

  async #pass(longestMilliseconds: number, shortestMilliseconds = 1): Promise<void> {
    await this.#ground.time.advance(this.#random.between(shortestMilliseconds, longestMilliseconds));
  }

  #count(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1;
  }

  #note(what: string): void {
    const seconds = ((this.#ground.time.now - this.#begun) / 1_000).toFixed(3);
    this.#timeline.push(`${seconds.padStart(9)} s  ${what}`);
  }
}
