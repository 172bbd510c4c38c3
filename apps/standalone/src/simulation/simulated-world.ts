import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { componentRegistry } from '@millrace/components';
import { runsTopology } from '@millrace/contracts';
import type { Executor } from '@millrace/executor';
import type { ComponentRegistry } from '@millrace/flow';
import type { Gateway } from '@millrace/gateway';
import type { Ingest } from '@millrace/ingest';
import type { KeyValueStore } from '@millrace/key-value';
import { InProcessBus } from '@millrace/messaging';
import { RunStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { Ground } from './ground';
import type { Random } from './random';
import { SimulatedCaller } from './simulated-caller';
import type { CallOrder } from './simulated-caller';
import { SimulatedConnection } from './simulated-connection';
import type { BrokerServer } from './simulated-connection';
import { SimulatedDatabase } from './simulated-database';
import type { DatabaseServer } from './simulated-database';
import { currentProcess, outsideProcesses, SimulatedProcess } from './simulated-process';
import {
  names,
  startSimulatedExecutor,
  startSimulatedGateway,
  startSimulatedIngest,
} from './simulated-services';
import type { ProcessSurroundings } from './simulated-services';
import { simulatedWork } from './simulated-work';
import type { Execution } from './simulated-work';

const MOST_KEYS = 100_000;
/** Clocks of machines: most are right, some are far from it. */
const SKEWS_MILLISECONDS = [0, 0, 0, 600_000, -600_000];

/** A process with what is needed to break it. */
export interface Member<Service> {
  readonly process: SimulatedProcess;
  readonly connection: SimulatedConnection;
  readonly service: Service;
}

/** An installation in one seed: its servers and processes, and everything that was done to it. */
export class SimulatedWorld {
  readonly databaseServer: DatabaseServer;
  readonly broker: BrokerServer;
  readonly executors: Member<Executor>[] = [];
  readonly executions: (Execution & { readonly at: number })[] = [];
  /** How often each line was logged. */
  readonly logged = new Map<string, number>();
  ingest: Member<Ingest> | null = null;
  gateways: Member<Gateway>[] = [];
  readonly #callers = new Map<SimulatedProcess, Set<SimulatedCaller>>();
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #registry: ComponentRegistry;
  #started = 0;

  constructor(ground: Ground, random: Random, onPoisoned: (member: Member<Executor>) => void) {
    this.#ground = ground;
    this.#random = random;
    this.#logger = countingLogger(this.logged);
    this.databaseServer = { database: ground.database, state: 'up' };
    this.broker = {
      bus: new InProcessBus({ logger: createLogger({ name: 'simulation', level: 'silent' }) }),
      exclusive: new Map(),
      isBlocked: false,
      isFlaky: false,
    };
    const work = simulatedWork({
      began: (execution) => this.executions.push({ ...execution, at: this.#ground.time.now }),
      poisoned: () => {
        const owner = this.executors.find(({ process }) => process === currentProcess());
        if (!owner) return;
        onPoisoned(owner);
        this.kill(owner);
      },
    });
    this.#registry = {
      find: (type) => (type === work.type ? work : componentRegistry.find(type)),
      all: [...componentRegistry.all, work],
    };
  }

  async open(executors: number, gateways: number): Promise<void> {
    const { keyValue } = this.#ground;
    await keyValue.delete(await keyValue.keys('', MOST_KEYS));
    await this.#ground.database.query({ text: 'SELECT setseed($1)', values: [this.#random.next()] });
    await this.broker.bus.provision(runsTopology(names, ['default']));
    await this.startIngest();
    while (this.executors.length < executors) await this.startExecutor();
    while (this.gateways.length < gateways) await this.startGateway();
  }

  /** Executors that are not dead. */
  living(): Member<Executor>[] {
    return this.executors.filter(({ process }) => process.state !== 'dead');
  }

  /** Every process that is not dead. */
  members(): Member<unknown>[] {
    return [...this.living(), ...(this.ingest ? [this.ingest] : []), ...this.gateways];
  }

  /** Whether a message of the default pool's background lane or of the quarantine waits. */
  async backlog(): Promise<number> {
    const queues = [names.lane('background', 'default'), names.quarantineQueue];
    const states = await Promise.all(queues.map((queue) => this.broker.bus.queueStatus(queue)));
    return states.reduce((sum, state) => sum + (state?.messages ?? 0), 0);
  }

  /** All messages that wait are gone, as when a queue is deleted and declared again. */
  async loseMessages(): Promise<void> {
    const queue = names.lane('background', 'default');
    const thief = await this.broker.bus.consume(queue, { prefetch: 1_000 }, () => Promise.resolve('done'));
    await this.#ground.time.settle();
    await thief.close();
  }

  async startExecutor(): Promise<void> {
    this.executors.push(await this.#start('executor', startSimulatedExecutor));
  }

  async startIngest(): Promise<void> {
    this.ingest = await this.#start('ingest', startSimulatedIngest);
  }

  async startGateway(): Promise<void> {
    this.gateways.push(await this.#start('gateway', startSimulatedGateway));
  }

  /** Calls a gateway; the connection breaks when the gateway dies. */
  call({ process, service }: Member<Gateway>, order: CallOrder): SimulatedCaller {
    const caller = new SimulatedCaller(service.server, process, order);
    const callers = this.#callers.get(process) ?? new Set();
    this.#callers.set(process, callers.add(caller));
    void caller.heard.then(() => callers.delete(caller));
    return caller;
  }

  /** Sends a webhook; resolves to the run's id when it was answered with 202, to null with any other answer or none. */
  webhook(work: string, deliveryId: string): Promise<string | null> {
    const { ingest } = this;
    if (ingest === null || ingest.process.state === 'dead') return Promise.resolve(null);
    const request = Object.assign(Readable.from([Buffer.from(JSON.stringify({ work }))]), {
      method: 'POST',
      url: `/api/v1/webhook/${this.#ground.flow.id}`,
      headers: { 'webhook-id': deliveryId },
    });
    return new Promise((resolve) => {
      let status = 0;
      const response = {
        getHeader: () => undefined,
        headersSent: false,
        destroyed: false,
        setHeader: () => undefined,
        writeHead: (given: number) => {
          status = given;
        },
        end: (body: string) => {
          const { run_id } = JSON.parse(body) as { readonly run_id?: string };
          resolve(status === 202 && run_id !== undefined ? run_id : null);
        },
      };
      ingest.process.run(() =>
        ingest.service.handle(request as unknown as IncomingMessage, response as unknown as ServerResponse),
      );
    });
  }

  /** As a gateway does for the owner of the run. */
  async cancel(runId: string): Promise<void> {
    const runs = new RunStore({ database: this.databaseServer.database });
    await runs.requestCancel(this.#ground.flow.userId, runId);
  }

  kill({ process, connection }: Member<unknown>): void {
    process.kill();
    connection.cut();
    this.gateways = this.gateways.filter((gateway) => gateway.process !== process);
    for (const caller of this.#callers.get(process) ?? []) caller.leave();
  }

  async #start<Service>(
    kind: string,
    start: (surroundings: ProcessSurroundings) => Promise<Service>,
  ): Promise<Member<Service>> {
    this.#started += 1;
    const name = `${kind}-${this.#started}`;
    const process = new SimulatedProcess(name, this.#random.pick(SKEWS_MILLISECONDS));
    const connection = new SimulatedConnection(this.broker, process, this.#random);
    const database = new SimulatedDatabase(this.databaseServer, process, this.#random);
    const { time } = this.#ground;
    const keyValue = serverOf(this.#ground.keyValue);
    const clock = { now: () => time.now, isShared: true };
    const logger = this.#logger;
    const registry = this.#registry;
    const surroundings = { name, bus: connection, database, keyValue, clock, registry, logger };
    const starting = process.start(() => start(surroundings));
    await this.#ground.time.settle();
    return { process, connection, service: await starting };
  }
}

/** A store that is a server of its own: what expires there does so by its clock, and not by that of whoever asks. */
function serverOf(store: KeyValueStore): KeyValueStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown =>
        outsideProcesses(() => Reflect.apply(value as (...given: unknown[]) => unknown, target, given));
    },
  });
}

/** Keeps the texts of a log, and how often each came. */
function countingLogger(logged: Map<string, number>): Logger {
  const count = (_fields: object, message: string) =>
    void logged.set(message, (logged.get(message) ?? 0) + 1);
  const counting: Logger = {
    level: 'info',
    debug: () => undefined,
    info: count,
    warn: count,
    error: count,
    fatal: count,
    child: () => counting,
  };
  return counting;
}
