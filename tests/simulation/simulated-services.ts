import { RefusedSignIns } from '@millrace/access';
import { brokerNames } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { resourceProviders, startExecutor } from '@millrace/executor';
import type { Executor } from '@millrace/executor';
import { executorSettings } from '@millrace/executor/settings';
import type { ComponentRegistry } from '@millrace/flow';
import { createGateway } from '@millrace/gateway';
import type { Gateway } from '@millrace/gateway';
import { gatewaySettings } from '@millrace/gateway/settings';
import { startIngest } from '@millrace/ingest';
import type { Ingest } from '@millrace/ingest';
import { ingestSettings } from '@millrace/ingest/settings';
import type { KeyValueStore } from '@millrace/key-value';
import type { MessageBus } from '@millrace/messaging';
import { Encryption, openStores } from '@millrace/runs';
import { createOutgoingFetch, Health, readSettings } from '@millrace/service';
import type { Logger, Metrics, SharedClock } from '@millrace/service';
import { currentProcess } from './simulated-process';
import type { SimulatedProcess } from './simulated-process';

export const MAXIMUM_ATTEMPTS = 3;
/** Run deadline of waiting callers. */
export const DEADLINE_MILLISECONDS = 20_000;
/** Interval of periodic work. Each round costs real time, so a longer interval allows more seeds. */
const INTERVAL_MILLISECONDS = 5_000;

/** Jobs of a gateway that are sent before users take turns. */
const MAXIMUM_SENT = 6;
const MAXIMUM_TURN_MILLISECONDS = 20;
/** Share of the gateways that read several replies in one message. */
const SHARE_OF_BATCHES = 0.75;
const SHARE_OF_SMALL_EXECUTORS = 0.4;

/** The broker names of the installation. */
export const names = brokerNames();
export const encryption = Encryption.from([Buffer.alloc(32, 7).toString('base64')]);
const gatewayOptions = readSettings(gatewaySettings, {
  MILLRACE_RUN_DEADLINE_SECONDS: String(DEADLINE_MILLISECONDS / 1_000),
  MILLRACE_SHUTDOWN_SECONDS: '5',
});
const executorOptions = readSettings(executorSettings, { MILLRACE_VERTEX_RECORDS: 'false' });
const ingestOptions = readSettings(ingestSettings, {
  MILLRACE_MAXIMUM_BODY_BYTES: '1000000',
  MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS: '60',
  MILLRACE_USER_QUEUE_SHARE: '1000',
  MILLRACE_USER_BACKLOG_LIMIT: '10000',
});
/** Gauges that the simulation reads, each with its process. */
let gauges: {
  readonly name: string;
  readonly process: SimulatedProcess | null;
  readonly read: () => number;
}[] = [];
const nothing = { add: () => undefined, record: () => undefined };
/** Counts runs that a gateway holds back, and slots of an executor in use. */
const READ_GAUGES: readonly string[] = ['millrace_runs_held', 'millrace_executor_slots_taken'];
/** Other metrics are not collected in a simulation. */
const metrics: Metrics = {
  counter: () => nothing,
  histogram: () => nothing,
  gauge(name, _help, read) {
    const process = currentProcess();
    if (READ_GAUGES.includes(name)) gauges.push({ name, process, read: read as () => number });
  },
  total: () => undefined,
  prometheusText: () => Promise.resolve(''),
  close: () => Promise.resolve(),
};

/** The dependencies of one simulated process. */
export interface ProcessDependencies {
  /** Unique name of the process. */
  readonly name: string;
  readonly bus: MessageBus;
  readonly database: Database;
  readonly keyValue: KeyValueStore;
  /** The time that all processes share, independent of the clocks of their machines. */
  readonly clock: SharedClock;
  readonly registry: ComponentRegistry;
  readonly logger: Logger;
}

/** Simulated events have a turn each, so that only this lets jobs and replies meet. */
function afterTurn(work: () => void): void {
  setTimeout(work, Math.floor(Math.random() * MAXIMUM_TURN_MILLISECONDS));
}

/** Starts a real executor. */
export function startSimulatedExecutor(dependencies: ProcessDependencies): Promise<Executor> {
  const { database, name } = dependencies;
  return startExecutor({
    ...shared(dependencies),
    settings: {
      ...executorOptions,
      // With one slot, most jobs of a batch wait.
      MILLRACE_CONCURRENCY: Math.random() < SHARE_OF_SMALL_EXECUTORS ? 1 : 4,
    },
    limits: {
      runVertices: 100,
      outputBytes: 1_000_000,
      userCachedResults: 0,
      eventLoopLagMilliseconds: Number.POSITIVE_INFINITY,
    },
    fetch,
    resources: resourceProviders(executorOptions, { database, encryption }),
    environmentVariable: () => undefined,
    worker: name,
    version: 'simulated',
    afterTurn,
  });
}

/** Starts a real ingest without a server: requests are passed to it directly. */
export function startSimulatedIngest(dependencies: ProcessDependencies): Promise<Ingest> {
  return startIngest({
    ...shared(dependencies),
    settings: ingestOptions,
    // No simulated broker of a user exists.
    limits: { runAttempts: MAXIMUM_ATTEMPTS, processQueueSources: 0 },
    instance: dependencies.name,
    pythonPool: null,
    fetch: createOutgoingFetch({ allow: [] }),
    sweepIntervalMilliseconds: INTERVAL_MILLISECONDS,
    releaseIntervalMilliseconds: INTERVAL_MILLISECONDS,
    scheduleIntervalMilliseconds: INTERVAL_MILLISECONDS,
    callbackIntervalMilliseconds: INTERVAL_MILLISECONDS,
  });
}

/** Returns the sum of a gauge over the processes of a seed that are not dead. */
export function sumOfGauge(name: 'millrace_runs_held' | 'millrace_executor_slots_taken'): number {
  const living = gauges.filter((gauge) => gauge.name === name && gauge.process?.state !== 'dead');
  return living.reduce((sum, { read }) => sum + read(), 0);
}

/** Forgets the processes of a seed. */
export function forgetGauges(): void {
  gauges = [];
}

/** Starts a real gateway; connections are passed to its server directly. */
export async function startSimulatedGateway(dependencies: ProcessDependencies): Promise<Gateway> {
  const gateway = createGateway({
    ...shared(dependencies),
    settings: gatewayOptions,
    environmentVariable: () => undefined,
    instance: dependencies.name,
    pythonPool: null,
    webhooks: { handle: () => undefined },
    // So few that callers of different users take turns.
    maximumSent: () => MAXIMUM_SENT,
    // The others are of a release in which each job and each reply has a message.
    batchesMessages: Math.random() < SHARE_OF_BATCHES,
    afterTurn,
  });
  await gateway.open();
  return gateway;
}

function shared({ bus, database, keyValue, clock, registry, logger }: ProcessDependencies) {
  const stores = openStores({ database, keyValue, encryption, logger });
  return {
    logger,
    metrics,
    health: new Health(),
    bus,
    database,
    keyValue,
    registry,
    names,
    clock,
    ...stores,
    refusedSignIns: new RefusedSignIns({ audit: stores.audit, logger, metrics }),
  };
}
