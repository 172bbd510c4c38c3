import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { componentRegistry } from '@millrace/components';
import { brokerNames, runsTopology } from '@millrace/contracts';
import { migrate, openBlockingDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { executorSettings, resourceProviders, startExecutor } from '@millrace/executor';
import type { Executor } from '@millrace/executor';
import type { ComponentRegistry } from '@millrace/flow';
import { startIngest } from '@millrace/ingest';
import type { Ingest } from '@millrace/ingest';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { InProcessBus } from '@millrace/messaging';
import {
  ApiKeyStore,
  Encryption,
  FlowStore,
  MessageStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { FlowRecord } from '@millrace/runs';
import { createLogger, Health, readSettings } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import type { Random } from './random';
import { SimulatedConnection } from './simulated-connection';
import type { BrokerServer } from './simulated-connection';
import { SimulatedDatabase } from './simulated-database';
import type { DatabaseServer } from './simulated-database';
import { currentProcess, SimulatedProcess } from './simulated-process';
import { SimulatedTime } from './simulated-time';
import { simulatedWork, workingFlow } from './simulated-work';
import type { Execution } from './simulated-work';

/** The broker notices a silent client after three heartbeats of five seconds. */
export const SILENCE_MILLISECONDS = 15_000;
const MOST_KEYS = 100_000;
const EXECUTORS = 3;
/** Each round costs real time; with longer ones there are more seeds. */
const ROUND_MILLISECONDS = 5_000;
const LIMIT_MILLISECONDS = 60_000;
export const MAXIMUM_ATTEMPTS = 3;

const ENCRYPTION = Encryption.from([Buffer.alloc(32, 7).toString('base64')]);

const logger = createLogger({ name: 'simulation', level: 'silent' });
const names = brokerNames();
const nothing = { add: () => undefined, record: () => undefined };
/** Nobody collects what a simulation counts. */
const metrics: Metrics = {
  counter: () => nothing,
  histogram: () => nothing,
  gauge: () => undefined,
  prometheusText: () => Promise.resolve(''),
  close: () => Promise.resolve(),
};

/** Writes down each change of a run that ends it, or comes after its end. */
const TRANSITIONS = [
  'CREATE SCHEMA simulation',
  'CREATE UNLOGGED TABLE simulation.transitions (run_id uuid, before text, after text)',
  `CREATE FUNCTION simulation.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.transitions VALUES (new.id, old.status, new.status); RETURN NULL; END $$`,
  `CREATE TRIGGER noted AFTER UPDATE OF status, result ON runs FOR EACH ROW
    WHEN (new.finished_at IS NOT NULL OR old.finished_at IS NOT NULL) EXECUTE FUNCTION simulation.note()`,
];
/** What the embedded database need not do for tables that live as long as a test. */
const SPARING = [
  'SET track_counts = off',
  'SET synchronous_commit = off',
  'SET plan_cache_mode = force_generic_plan',
  'ALTER TABLE run_effects SET UNLOGGED',
  'ALTER TABLE runs SET UNLOGGED',
  'ALTER TABLE messages SET UNLOGGED',
];

/** What outlives the seeds: the clock and the database with its tables, the flow and its owner. */
export interface Ground {
  readonly time: SimulatedTime;
  readonly database: Database;
  readonly flow: FlowRecord;
  readonly keyValue: KeyValueStore;
}

/** A process with what is needed to break it. */
export interface Member<Service> {
  readonly process: SimulatedProcess;
  readonly connection: SimulatedConnection;
  readonly service: Service;
}

/** Opens a database whose now() is the simulation's, and which writes down each change of a run's status. */
export async function prepareGround(): Promise<Ground> {
  const time = new SimulatedTime(Date.UTC(2026, 0, 1));
  const database = await openBlockingDatabase({ logger, now: () => time.now });
  await migrate(database, { logger });
  for (const text of [...SPARING, ...TRANSITIONS]) await database.query({ text });
  const user = await new UserStore({ database }).ensureFirst();
  const flow = await new FlowStore({ database }).create(user.id, {
    name: 'simulated',
    document: workingFlow,
    settings: { webhookAuth: 'off' },
  });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'simulation' });
  return { time, database, flow, keyValue };
}

/** An installation in one seed: its servers and processes, and everything that was done to it. */
export class SimulatedWorld {
  readonly databaseServer: DatabaseServer;
  readonly broker: BrokerServer;
  readonly executors: Member<Executor>[] = [];
  readonly executions: Execution[] = [];
  /** How often each line was logged. */
  readonly logged = new Map<string, number>();
  ingest: Member<Ingest> | null = null;
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
      bus: new InProcessBus({ logger }),
      exclusive: new Map(),
      isBlocked: false,
      isFlaky: false,
    };
    const work = simulatedWork({
      began: (execution) => this.executions.push(execution),
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

  async open(): Promise<void> {
    const { keyValue } = this.#ground;
    await keyValue.delete(await keyValue.keys('', MOST_KEYS));
    await this.#ground.database.query({ text: 'SELECT setseed($1)', values: [this.#random.next()] });
    await this.broker.bus.provision(runsTopology(names, ['default']));
    await this.startIngest();
    while (this.executors.length < EXECUTORS) await this.startExecutor();
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
    const { process, connection, stores, keyValue } = await this.#begin('executor');
    const starting = process.start(() =>
      startExecutor({
        logger: this.#logger,
        metrics,
        health: new Health(),
        bus: connection,
        keyValue,
        registry: this.#registry,
        names,
        ...stores,
        limits: { maximumVertices: 100, maximumOutputBytes: 1_000_000 },
        fetch,
        resources: resourceProviders(readSettings(executorSettings, {}), {
          database: stores.database,
          encryption: ENCRYPTION,
        }),
        environmentVariable: () => undefined,
        worker: process.name,
        version: 'simulated',
        pool: 'default',
        concurrency: 4,
      }),
    );
    this.executors.push({ process, connection, service: await this.#whenStarted(starting) });
  }

  async startIngest(): Promise<void> {
    const { process, connection, stores } = await this.#begin('ingest');
    const starting = process.start(() =>
      startIngest({
        logger: this.#logger,
        metrics,
        health: new Health(),
        bus: connection,
        names,
        ...stores,
        instance: process.name,
        webhookAuthentication: 'required',
        maximumBodyBytes: 1_000_000,
        backgroundLimitMilliseconds: LIMIT_MILLISECONDS,
        maximumAttempts: MAXIMUM_ATTEMPTS,
        runRetentionDays: 7,
        runsAhead: 1_000,
        maximumWaitingRuns: 10_000,
        sweepMilliseconds: ROUND_MILLISECONDS,
        turnMilliseconds: ROUND_MILLISECONDS,
      }),
    );
    this.ingest = { process, connection, service: await this.#whenStarted(starting) };
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
  }

  async #begin(kind: string) {
    this.#started += 1;
    const process = new SimulatedProcess(`${kind}-${this.#started}`);
    const connection = new SimulatedConnection(this.broker, process, this.#random);
    const database = new SimulatedDatabase(this.databaseServer, process, this.#random);
    const { keyValue } = this.#ground;
    const messages = new MessageStore({ database });
    const stores = {
      database,
      apiKeys: new ApiKeyStore({ database }),
      flows: new FlowStore({ database }),
      runs: new RunStore({ database }),
      seal: new RequestSeal({ encryption: ENCRYPTION }),
      history: new SessionHistory({ keyValue, messages, logger }),
      variables: new VariableStore({
        database,
        encryption: ENCRYPTION,
      }),
    };
    return { process, connection, keyValue, stores };
  }

  async #whenStarted<T>(starting: Promise<T>): Promise<T> {
    await this.#ground.time.settle();
    return starting;
  }
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
