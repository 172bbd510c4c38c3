import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { componentRegistry } from '@millrace/components';
import { runsTopology } from '@millrace/messages';
import type { Executor } from '@millrace/executor';
import type { ComponentRegistry, HumanDecision } from '@millrace/flow';
import type { Gateway } from '@millrace/gateway';
import type { Ingest } from '@millrace/ingest';
import type { KeyValueStore } from '@millrace/key-value';
import { InProcessBus } from '@millrace/messaging';
import { openStores } from '@millrace/runs';
import type { RunRecord, RunStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { SimulationFixture } from './simulation-fixture';
import type { Random } from './random';
import { SimulatedCaller } from './simulated-caller';
import type { CallRequest } from './simulated-caller';
import { SimulatedConnection } from './simulated-connection';
import type { BrokerServer } from './simulated-connection';
import { SimulatedDatabase } from './simulated-database';
import type { DatabaseServer } from './simulated-database';
import { currentProcess, outsideProcesses, SimulatedProcess } from './simulated-process';
import {
  encryption,
  names,
  startSimulatedExecutor,
  startSimulatedGateway,
  startSimulatedIngest,
} from './simulated-services';
import type { ProcessDependencies } from './simulated-services';
import { questionIn, simulatedQuestion } from './simulated-question';
import type { AskedQuestion, QuestionHooks } from './simulated-question';
import { simulatedWork } from './simulated-work';
import { isRecorded } from './stored-runs';
import { WorkLog } from './work-log';

const MAXIMUM_KEYS = 100_000;
/** Clock skews of machines: most clocks are exact, some are far off. */
const SKEWS_MILLISECONDS = [0, 0, 0, 600_000, -600_000];

/** A process with its service, and its connection for fault injection. */
export interface ProcessHandle<Service> {
  readonly process: SimulatedProcess;
  readonly connection: SimulatedConnection;
  readonly service: Service;
}

/** What the simulation does about events within runs. */
export interface WorldHooks {
  onPoisoned(member: ProcessHandle<Executor>): void;
  /** Called when a run asks a person, before it is suspended. */
  onAsked(question: AskedQuestion): void;
  /** Returns the number of crashes of executors so far. */
  crashes(): number;
}

/** The installation of one seed: its servers and processes, and records of what happened in it. */
export class SimulatedWorld {
  readonly databaseServer: DatabaseServer;
  readonly broker: BrokerServer;
  readonly executors: ProcessHandle<Executor>[] = [];
  /** What the vertices of runs have done. */
  readonly work: WorkLog;
  /** A connection to the stores without faults. */
  readonly runs: RunStore;
  /** Number of log lines by message. */
  readonly logged = new Map<string, number>();
  ingest: ProcessHandle<Ingest> | null = null;
  gateways: ProcessHandle<Gateway>[] = [];
  readonly #callers = new Map<SimulatedProcess, Set<SimulatedCaller>>();
  readonly #fixture: SimulationFixture;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #registry: ComponentRegistry;
  #started = 0;

  constructor(fixture: SimulationFixture, random: Random, { onPoisoned, onAsked, crashes }: WorldHooks) {
    this.#fixture = fixture;
    this.#random = random;
    this.#logger = countingLogger(this.logged);
    this.databaseServer = { database: fixture.database, state: 'up' };
    this.broker = {
      bus: new InProcessBus({ logger: createLogger({ name: 'simulation', level: 'silent' }) }),
      exclusiveQueues: new Map(),
      isBlocked: false,
      isFlaky: false,
      batchOutcomes: new Map(),
    };
    const { database, keyValue } = fixture;
    this.runs = openStores({ database, keyValue, encryption, logger: this.#logger }).runs;
    const log = new WorkLog({ now: () => this.#fixture.time.now, crashes });
    this.work = log;
    const hooks: QuestionHooks = {
      onStarted: (execution) => log.start(execution),
      onEnded: (execution) => log.end(execution),
      onPerformed: (work) => log.perform(work),
      onRecorded: async (work) => {
        if (await isRecorded(database, work)) log.record(work);
      },
      onReplayed: (work) => log.replayed.push(work),
      onAsked,
      onPoison: () => {
        const owner = this.executors.find(({ process }) => process === currentProcess());
        if (!owner) return;
        onPoisoned(owner);
        this.kill(owner);
      },
    };
    const components = [simulatedWork(hooks), simulatedQuestion(hooks)];
    this.#registry = {
      find: (type) => components.find((one) => one.type === type) ?? componentRegistry.find(type),
      all: [...componentRegistry.all, ...components],
    };
  }

  async open(executors: number, gateways: number): Promise<void> {
    const { keyValue } = this.#fixture;
    await keyValue.delete(await keyValue.keys('', MAXIMUM_KEYS));
    await this.#fixture.database.query({ text: 'SELECT setseed($1)', values: [this.#random.next()] });
    await this.broker.bus.provision(runsTopology(names, ['default']));
    await this.startIngest();
    while (this.executors.length < executors) await this.startExecutor();
    while (this.gateways.length < gateways) await this.startGateway();
  }

  /** Executors that are not dead. */
  livingExecutors(): ProcessHandle<Executor>[] {
    return this.executors.filter(({ process }) => process.state !== 'dead');
  }

  /** Every process that is not dead. */
  members(): ProcessHandle<unknown>[] {
    return [...this.livingExecutors(), ...(this.ingest ? [this.ingest] : []), ...this.gateways];
  }

  /** Resolves to the number of messages in the background lane of the default pool and in the quarantine. */
  async backlog(): Promise<number> {
    const queues = [names.lane('background', 'default'), names.quarantineQueue];
    const states = await Promise.all(queues.map((queue) => this.broker.bus.queueStatus(queue)));
    return states.reduce((sum, state) => sum + (state?.messages ?? 0), 0);
  }

  /** Drops all messages of the background lane, as when its queue is deleted and declared again. */
  async loseMessages(): Promise<void> {
    const queue = names.lane('background', 'default');
    const consumer = await this.broker.bus.consume(queue, { prefetch: 1_000 }, () => Promise.resolve('done'));
    await this.#fixture.time.settle();
    await consumer.close();
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

  /** Calls a gateway; the connection breaks when the gateway is killed. */
  call({ process, service }: ProcessHandle<Gateway>, order: CallRequest): SimulatedCaller {
    const caller = new SimulatedCaller(service.server, process, order);
    const callers = this.#callers.get(process) ?? new Set();
    this.#callers.set(process, callers.add(caller));
    void caller.outcome.then(() => callers.delete(caller));
    return caller;
  }

  /** Sends a webhook; resolves to the run id on a 202, to null on any other answer. */
  webhook(work: string, deliveryId: string): Promise<string | null> {
    const { ingest } = this;
    if (ingest === null || ingest.process.state === 'dead') return Promise.resolve(null);
    const { flow, asking } = this.#fixture;
    const request = Object.assign(Readable.from([Buffer.from(JSON.stringify({ work }))]), {
      method: 'POST',
      url: `/api/v1/webhook/${(questionIn(work) === null ? flow : asking).id}`,
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

  /** Requests cancellation of a run, as a gateway does for its owner. */
  async cancel(runId: string): Promise<void> {
    await this.runs.requestCancel(this.#fixture.flow.userId, runId);
  }

  /** Answers a question of a suspended run, as a gateway without faults does. Resolves to whether the answer counts. */
  decide(runId: string, decisions: ReadonlyMap<string, HumanDecision>): Promise<boolean> {
    const { database, flow } = this.#fixture;
    return this.runs.within(database).decide({ userId: flow.userId, runId, decisions, decidedBy: null });
  }

  /** Resolves to a run of a webhook. */
  find(runId: string): Promise<RunRecord | null> {
    return this.runs.find(this.#fixture.flow.userId, runId);
  }

  kill({ process, connection }: ProcessHandle<unknown>): void {
    process.kill();
    connection.cut();
    this.gateways = this.gateways.filter((gateway) => gateway.process !== process);
    for (const caller of this.#callers.get(process) ?? []) caller.disconnect();
  }

  async #start<Service>(
    kind: string,
    start: (dependencies: ProcessDependencies) => Promise<Service>,
  ): Promise<ProcessHandle<Service>> {
    this.#started += 1;
    const name = `${kind}-${this.#started}`;
    const process = new SimulatedProcess(name, this.#random.pick(SKEWS_MILLISECONDS));
    const connection = new SimulatedConnection(this.broker, process, this.#random);
    const database = new SimulatedDatabase(this.databaseServer, process, this.#random);
    const { time } = this.#fixture;
    const keyValue = asSeparateServer(this.#fixture.keyValue);
    const clock = { now: () => time.now, isShared: true };
    const logger = this.#logger;
    const registry = this.#registry;
    const dependencies = { name, bus: connection, database, keyValue, clock, registry, logger };
    const starting = process.start(() => start(dependencies));
    await this.#fixture.time.settle();
    return { process, connection, service: await starting };
  }
}

/** Wraps a store as a separate server: entries expire by the server's clock, not by that of the calling process. */
function asSeparateServer(store: KeyValueStore): KeyValueStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown =>
        outsideProcesses(() => Reflect.apply(value as (...given: unknown[]) => unknown, target, given));
    },
  });
}

/** Returns a logger that counts log lines by message. */
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
