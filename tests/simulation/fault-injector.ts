import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';
import type { ProcessHandle, SimulatedWorld } from './simulated-world';

/** The broker notices a silent client after three heartbeats of five seconds. */
const HEARTBEAT_TIMEOUT_MILLISECONDS = 15_000;
const MAXIMUM_STOP_SECONDS = 60;

export interface FaultInjectorDependencies {
  readonly world: SimulatedWorld;
  readonly random: Random;
  note(what: string): void;
  pass(milliseconds: number): Promise<void>;
}

/** Injects faults into processes and their connections. Each fault lasts until the call resolves. */
export class FaultInjector {
  readonly #dependencies: FaultInjectorDependencies;
  /** Disconnects by process: its lost attempts count when it crashes before it can confirm that it is alive. */
  readonly #cuts = new Map<SimulatedProcess, number>();
  /** Crashes and freezes, for which an attempt may be counted. */
  crashes = 0;

  constructor(dependencies: FaultInjectorDependencies) {
    this.#dependencies = dependencies;
  }

  countCrash({ process }: ProcessHandle<unknown>): void {
    this.crashes += 1 + (this.#cuts.get(process) ?? 0);
  }

  async killExecutor(): Promise<void> {
    const { world, random, note, pass } = this.#dependencies;
    const member = this.#executor();
    if (!member) return;
    note(`kill ${member.process.name}`);
    this.countCrash(member);
    world.kill(member);
    if (random.chance(0.7)) {
      await pass(random.between(1, 2_000));
      await world.startExecutor();
    }
  }

  async freezeExecutor(): Promise<void> {
    const { random, note, pass } = this.#dependencies;
    const member = this.#executor();
    if (!member) return;
    const milliseconds = random.between(500, 40_000);
    note(`freeze ${member.process.name} for ${milliseconds} ms`);
    this.countCrash(member);
    member.process.freeze();
    if (milliseconds > HEARTBEAT_TIMEOUT_MILLISECONDS) {
      await pass(HEARTBEAT_TIMEOUT_MILLISECONDS);
      member.connection.cut();
      await pass(milliseconds - HEARTBEAT_TIMEOUT_MILLISECONDS);
    } else await pass(milliseconds);
    member.process.thaw();
    note(`thaw ${member.process.name}`);
    if (random.chance(0.5)) await pass(random.between(1, 300));
    await member.connection.reconnect();
  }

  async cutExecutor(): Promise<void> {
    const member = this.#executor();
    if (member) await this.#cutFor([member], 3_000);
  }

  /** Closes the channels of one executor, or of all. */
  async closeChannels(): Promise<void> {
    const { world, random, note, pass } = this.#dependencies;
    const member = this.#executor();
    if (!member) return;
    const members = random.chance(0.6) ? [member] : world.livingExecutors();
    note(`close the channels of ${members.map(({ process }) => process.name).join(', ')}`);
    const closing = members.map(({ connection }) => connection.closeChannels());
    await pass(random.between(10, 1_000));
    await Promise.all(closing);
  }

  async cutGateway(): Promise<void> {
    const member = this.#gateway();
    if (member) await this.#cutFor([member], 3_000);
  }

  async cutAll(): Promise<void> {
    await this.#cutFor(this.#dependencies.world.members(), 8_000);
  }

  async drainExecutor(): Promise<void> {
    const { world } = this.#dependencies;
    const member = this.#executor();
    if (!member) return;
    await this.#drain(member, () => member.service.close({ deadlineMilliseconds: 5_000 }));
    await world.startExecutor();
  }

  async drainGateway(): Promise<void> {
    const { world } = this.#dependencies;
    const member = this.#gateway();
    if (!member) return;
    await this.#drain(member, () => member.service.close());
    await world.startGateway();
  }

  async killGateway(): Promise<void> {
    const { world, random, note, pass } = this.#dependencies;
    const member = this.#gateway();
    if (!member) return;
    note(`kill ${member.process.name}`);
    world.kill(member);
    await pass(random.between(1, 2_000));
    await world.startGateway();
  }

  async killIngest(): Promise<void> {
    const { world, random, note, pass } = this.#dependencies;
    if (world.ingest === null) return;
    note('kill ingest');
    world.kill(world.ingest);
    await pass(random.between(1, 4_000));
    await world.startIngest();
  }

  /** Picks an executor, preferably one that has recently started an attempt. */
  #executor() {
    const { world, random } = this.#dependencies;
    const living = world.livingExecutors();
    const lately = world.work.executions.slice(-3).map((execution) => execution.process);
    const busy = living.filter(({ process }) => lately.includes(process.name));
    if (busy.length > 0 && random.chance(0.7)) return random.pick(busy);
    return living.length === 0 ? undefined : random.pick(living);
  }

  #gateway() {
    const { gateways } = this.#dependencies.world;
    return gateways.length === 0 ? undefined : this.#dependencies.random.pick(gateways);
  }

  async #cutFor(members: readonly ProcessHandle<unknown>[], maximumMilliseconds: number): Promise<void> {
    const { random, note, pass } = this.#dependencies;
    note(`cut ${members.map(({ process }) => process.name).join(', ')}`);
    for (const { process, connection } of members) {
      this.#cuts.set(process, (this.#cuts.get(process) ?? 0) + 1);
      connection.cut();
    }
    await pass(random.between(1, maximumMilliseconds));
    for (const { connection } of members) await connection.reconnect();
  }

  /** Advances time until the process has stopped or crashed. A process that does not stop is a violation. */
  async #drain(member: ProcessHandle<unknown>, close: () => Promise<unknown>): Promise<void> {
    const { world, note, pass } = this.#dependencies;
    const { process } = member;
    note(`drain ${process.name}`);
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    process.start(close).then(over, over);
    for (let seconds = 0; !isOver && process.state !== 'dead'; seconds += 1) {
      if (seconds > MAXIMUM_STOP_SECONDS) {
        note(`BROKEN: ${process.name} does not stop`);
        break;
      }
      await pass(1_000);
    }
    world.kill(member);
  }
}
