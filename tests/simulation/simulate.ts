import { Callers } from './callers';
import type { SimulationFixture } from './simulation-fixture';
import { FaultInjector } from './fault-injector';
import { Persons } from './persons';
import { Random } from './random';
import { Senders } from './senders';
import { DEADLINE_MILLISECONDS, forgetGauges, sumOfGauge } from './simulated-services';
import { SimulatedWorld } from './simulated-world';
import {
  violationsOfRuns,
  violationsOfTransitions,
  deleteRuns,
  hasEnded,
  storedRuns,
  storedSuspensions,
} from './stored-runs';
import type { StoredRun, Suspensions } from './stored-runs';

/** The result of one seed. */
export interface SimulationReport {
  readonly seed: number;
  /** The events in order, with the simulated time. */
  readonly timeline: readonly string[];
  /** Violated invariants; empty if all hold. */
  readonly violations: readonly string[];
  /** Number of occurrences of each kind of event. */
  readonly seen: Readonly<Record<string, number>>;
}

const MINIMUM_RECOVERY_STEP_MILLISECONDS = 2_000;
const MAXIMUM_RECOVERY_MILLISECONDS = 30 * 60_000;
const EXECUTORS = 3;
/** A run whose caller has left can continue for so long. */
const MAXIMUM_UNSEEN_MILLISECONDS = DEADLINE_MILLISECONDS + 5_000;

/** Runs an installation through the events of one seed, repairs all faults, and checks the outcome of every run. */
export async function simulate(fixture: SimulationFixture, seed: number): Promise<SimulationReport> {
  return new Simulation(fixture, seed).run();
}

class Simulation {
  readonly #fixture: SimulationFixture;
  readonly #seed: number;
  readonly #random: Random;
  readonly #world: SimulatedWorld;
  readonly #senders: Senders;
  readonly #callers: Callers;
  readonly #persons: Persons;
  readonly #faultInjector: FaultInjector;
  readonly #timeline: string[] = [];
  readonly #seen: Record<string, number> = {};
  readonly #startedAt: number;
  /** Number of gateways; zero in some seeds. */
  readonly #gateways: number;
  /** In mild seeds executors only lose channels and connections; then each run is started only once. */
  readonly #isMild: boolean;

  constructor(fixture: SimulationFixture, seed: number) {
    this.#fixture = fixture;
    this.#seed = seed;
    this.#startedAt = fixture.time.now;
    const random = new Random(seed);
    this.#random = random;
    this.#gateways = random.pick([0, 1, 1, 2] as const);
    this.#isMild = random.chance(0.15);
    const world = new SimulatedWorld(fixture, random, {
      onPoisoned: (member) => this.#faultInjector.countCrash(member),
      onAsked: (question) => this.#persons.onAsked(question),
      crashes: () => this.#faultInjector.crashes,
    });
    this.#world = world;
    const note = (what: string) => this.#note(what);
    const count = (what: string) => this.#count(what);
    const pass = (milliseconds: number) => fixture.time.advance(milliseconds);
    const faultInjector = new FaultInjector({ world, random, note, pass });
    this.#faultInjector = faultInjector;
    const crashes = () => faultInjector.crashes;
    const persons = new Persons({ world, random, note, count, crashes });
    this.#persons = persons;
    this.#senders = new Senders({ world, random, persons, note, count, crashes });
    const now = () => fixture.time.now;
    this.#callers = new Callers({ world, random, flows: fixture, now, note, count });
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
      for (const outcome of this.#world.broker.batchOutcomes.keys()) this.#count(outcome);
      return { seed: this.#seed, timeline: this.#timeline, violations, seen: this.#seen };
    } finally {
      Math.random = random;
      await this.#end();
    }
  }

  /** Returns the possible events; an event that is listed several times is more likely. */
  #events(): (() => Promise<void>)[] {
    const faultInjector = this.#faultInjector;
    const send = () => this.#startAction(() => this.#senders.send());
    const closeChannels = () => faultInjector.closeChannels();
    if (this.#isMild) {
      const call = () => this.#startAction(() => this.#callers.call());
      const callTogether = () => this.#startAction(() => this.#callers.callTogether());
      const cuts = [() => faultInjector.cutExecutor(), closeChannels, closeChannels];
      return [
        send,
        send,
        ...(this.#gateways === 0 ? [] : [call, call, callTogether]),
        ...cuts,
        () => this.#pass(5_000),
      ];
    }
    return [
      closeChannels,
      send,
      send,
      send,
      send,
      () => this.#startAction(() => this.#senders.sendAgain()),
      () => this.#senders.cancel(),
      () => this.#killAfterAnswer(),
      () => faultInjector.killExecutor(),
      () => faultInjector.killExecutor(),
      () => faultInjector.freezeExecutor(),
      () => faultInjector.freezeExecutor(),
      () => faultInjector.cutExecutor(),
      () => faultInjector.cutAll(),
      () => faultInjector.drainExecutor(),
      () => faultInjector.killIngest(),
      () => this.#breakDatabase(),
      () => this.#breakBroker(),
      () => this.#loseMessages(),
      () => this.#pass(20_000, 3_000),
      ...(this.#gateways === 0 ? [] : this.#eventsOfCallers()),
    ];
  }

  #eventsOfCallers(): (() => Promise<void>)[] {
    const faultInjector = this.#faultInjector;
    const call = () => this.#startAction(() => this.#callers.call());
    return [
      call,
      call,
      call,
      () => this.#startAction(() => this.#callers.callTogether()),
      () => this.#drainWithJobsWaiting(),
      () => this.#startAction(() => this.#callers.callAgain()),
      () => this.#startAction(() => this.#callers.disconnect()),
      () => faultInjector.killGateway(),
      () => faultInjector.cutGateway(),
      () => faultInjector.drainGateway(),
    ];
  }

  /** Stops an executor that has jobs of several callers, some of which have not started. */
  async #drainWithJobsWaiting(): Promise<void> {
    this.#callers.callTogether();
    await this.#pass(60);
    await this.#faultInjector.drainExecutor();
  }

  /** Kills an executor while a run goes on after an answer. */
  async #killAfterAnswer(): Promise<void> {
    if (!this.#persons.answerNow()) return this.#startAction(() => this.#senders.sendQuestion());
    await this.#pass(600);
    await this.#faultInjector.killExecutor();
  }

  /** Starts an action that continues during the next events. */
  async #startAction(begin: () => void): Promise<void> {
    begin();
    if (this.#random.chance(0.5)) await this.#pass(60);
  }

  async #breakDatabase(): Promise<void> {
    const server = this.#world.databaseServer;
    server.state = this.#random.pick(['down', 'flaky', 'flaky', 'stalled'] as const);
    this.#note(`database ${server.state}`);
    this.#callers.databaseFails();
    await this.#startRuns(9_000);
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
    await this.#startRuns(6_000);
    broker.isBlocked = false;
    broker.isFlaky = false;
    this.#note('broker up');
  }

  /** Starts further runs during a fault. */
  async #startRuns(maximumMilliseconds: number): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      this.#senders.send();
      this.#callers.call();
      if (this.#random.chance(0.3)) this.#callers.callTogether();
      await this.#pass(maximumMilliseconds, 100);
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

  /** Advances time until every run has ended, up to a limit; starts executors that poison runs have killed. */
  async #recover(): Promise<void> {
    const { time, database } = this.#fixture;
    const giveUpAt = time.now + MAXIMUM_RECOVERY_MILLISECONDS;
    let step = MINIMUM_RECOVERY_STEP_MILLISECONDS;
    let idleSince: number | null = null;
    while (time.now < giveUpAt) {
      const isQuiet = this.#callers.waiting === 0 && (await this.#world.backlog()) === 0;
      const rows = isQuiet ? [...(await storedRuns(database)).values()] : [];
      if (isQuiet && rows.every(hasEnded)) return;
      const isIdle = isQuiet && rows.every((row) => hasEnded(row) || row.status === 'suspended');
      idleSince = isIdle ? (idleSince ?? time.now) : null;
      if (idleSince !== null && time.now - idleSince > MAXIMUM_UNSEEN_MILLISECONDS) this.#checkSlots();
      await this.#startMissing();
      await time.advance(step);
      step = Math.min(step + 1_000, 10_000);
    }
  }

  /** Checks that suspended runs take no slots. */
  #checkSlots(): void {
    this.#count('all runs were suspended');
    const taken = sumOfGauge('millrace_executor_slots_taken');
    if (taken > 0) this.#note(`BROKEN: ${taken} slots are in use although all runs are suspended`);
  }

  async #startMissing(): Promise<void> {
    while (this.#world.livingExecutors().length < EXECUTORS) await this.#world.startExecutor();
  }

  async #check(): Promise<string[]> {
    const { database } = this.#fixture;
    const rows = await storedRuns(database);
    const suspensions = await storedSuspensions(database);
    const backlog = await this.#world.backlog();
    for (const { name } of this.#world.work.replayed) this.#count(`a recorded ${name} was used again`);
    return [
      ...this.#timeline.filter((line) => line.includes('BROKEN')),
      ...this.#senders.violations(rows, suspensions),
      ...(await this.#persons.violations({ rows, suspensions })),
      ...this.#callers.violations({ rows, suspensions }),
      ...violationsOfRuns(rows),
      ...this.#world.work.violations(suspensions),
      ...(this.#isMild ? this.#faultsOfMildSeeds(rows, suspensions) : []),
      ...(await violationsOfTransitions(database)),
      ...(backlog > 0 ? [`${backlog} messages remain for runs that have ended`] : []),
    ];
  }

  /** Checks that a redelivery alone does not start a further attempt. */
  #faultsOfMildSeeds(
    rows: ReadonlyMap<string, StoredRun>,
    suspensions: ReadonlyMap<string, Suspensions>,
  ): string[] {
    // A poison run kills an executor.
    if (this.#faultInjector.crashes > 0) return [];
    this.#count('mild');
    const begun = new Map<string, Map<number, string>>();
    for (const { runId, attempt, process, at } of this.#world.work.executions) {
      const attempts = begun.get(runId) ?? new Map<number, string>();
      const seconds = (at - this.#startedAt) / 1_000;
      if (!attempts.has(attempt))
        attempts.set(attempt, `attempt ${attempt} at ${process} after ${seconds} s`);
      begun.set(runId, attempts);
    }
    const expected = (runId: string) =>
      1 + (rows.get(runId)?.retries ?? 0) + (suspensions.get(runId)?.pauses.length ?? 0);
    return [...begun]
      .filter(([runId, attempts]) => attempts.size > expected(runId))
      .map(
        ([runId, attempts]) =>
          `${runId} was started again although no executor crashed: ${[...attempts.values()].join(', ')}`,
      );
  }

  async #end(): Promise<void> {
    for (const member of this.#world.members()) this.#world.kill(member);
    forgetGauges();
    this.#fixture.time.restart();
    await deleteRuns(this.#fixture.database);
  }

  async #pass(maximumMilliseconds: number, minimumMilliseconds = 1): Promise<void> {
    await this.#fixture.time.advance(this.#random.between(minimumMilliseconds, maximumMilliseconds));
    if (sumOfGauge('millrace_runs_held') > 0) this.#count('held until its turn');
  }

  #count(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1;
  }

  #note(what: string): void {
    const seconds = ((this.#fixture.time.now - this.#startedAt) / 1_000).toFixed(3);
    this.#timeline.push(`${seconds.padStart(9)} s  ${what}`);
  }
}
