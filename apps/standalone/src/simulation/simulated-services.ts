import { brokerNames } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { executorSettings, resourceProviders, startExecutor } from '@millrace/executor';
import type { Executor } from '@millrace/executor';
import type { ComponentRegistry } from '@millrace/flow';
import { createGateway, gatewaySettings } from '@millrace/gateway';
import type { Gateway } from '@millrace/gateway';
import { startIngest } from '@millrace/ingest';
import type { Ingest } from '@millrace/ingest';
import type { KeyValueStore } from '@millrace/key-value';
import type { MessageBus } from '@millrace/messaging';
import {
  ApiKeyStore,
  Encryption,
  FlowStore,
  McpServerStore,
  MessageStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import { BodyBudget, Health, readSettings } from '@millrace/service';
import type { Logger, Metrics, SharedClock } from '@millrace/service';

export const MAXIMUM_ATTEMPTS = 3;
/** How long a caller waits for an answer before it is told that there is none. */
export const DEADLINE_MILLISECONDS = 20_000;
const LIMIT_MILLISECONDS = 60_000;
/** Each round costs real time; with longer ones there are more seeds. */
const ROUND_MILLISECONDS = 5_000;

/** Of the one installation. */
export const names = brokerNames();
const encryption = Encryption.from([Buffer.alloc(32, 7).toString('base64')]);
const gatewayOptions = readSettings(gatewaySettings, {
  MILLRACE_RUN_DEADLINE_SECONDS: String(DEADLINE_MILLISECONDS / 1_000),
  MILLRACE_SHUTDOWN_SECONDS: '5',
});
const nothing = { add: () => undefined, record: () => undefined };
/** Nobody collects what a simulation counts. */
const metrics: Metrics = {
  counter: () => nothing,
  histogram: () => nothing,
  gauge: () => undefined,
  prometheusText: () => Promise.resolve(''),
  close: () => Promise.resolve(),
};

/** What one simulated process works with. */
export interface ProcessSurroundings {
  /** Names it among all processes. */
  readonly name: string;
  readonly bus: MessageBus;
  readonly database: Database;
  readonly keyValue: KeyValueStore;
  /** What all processes know of the time, whatever their machines' clocks show. */
  readonly clock: SharedClock;
  readonly registry: ComponentRegistry;
  readonly logger: Logger;
}

/** The real executor. */
export function startSimulatedExecutor(surroundings: ProcessSurroundings): Promise<Executor> {
  const { database, name } = surroundings;
  return startExecutor({
    ...shared(surroundings),
    limits: { maximumVertices: 100, maximumOutputBytes: 1_000_000 },
    fetch,
    resources: resourceProviders(readSettings(executorSettings, {}), { database, encryption }),
    environmentVariable: () => undefined,
    worker: name,
    version: 'simulated',
    pool: 'default',
    concurrency: 4,
  });
}

/** The real ingest, without a server: it is handed its requests. */
export function startSimulatedIngest(surroundings: ProcessSurroundings): Promise<Ingest> {
  return startIngest({
    ...shared(surroundings),
    instance: surroundings.name,
    webhookAuthentication: 'required',
    maximumBodyBytes: 1_000_000,
    maximumBodyMembers: 25_000,
    bodies: new BodyBudget({ maximumBytes: 268_435_456 }),
    backgroundLimitMilliseconds: LIMIT_MILLISECONDS,
    maximumAttempts: MAXIMUM_ATTEMPTS,
    runRetentionDays: 7,
    runsAhead: 1_000,
    maximumWaitingRuns: 10_000,
    sweepMilliseconds: ROUND_MILLISECONDS,
    turnMilliseconds: ROUND_MILLISECONDS,
  });
}

/** The real gateway, whose server is handed its connections. */
export async function startSimulatedGateway(surroundings: ProcessSurroundings): Promise<Gateway> {
  const gateway = createGateway({
    ...shared(surroundings),
    settings: gatewayOptions,
    environmentVariable: () => undefined,
    instance: surroundings.name,
    webhooks: { handle: () => undefined },
  });
  await gateway.open();
  return gateway;
}

function shared({ bus, database, keyValue, clock, registry, logger }: ProcessSurroundings) {
  const messages = new MessageStore({ database });
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
    messages,
    users: new UserStore({ database }),
    apiKeys: new ApiKeyStore({ database }),
    flows: new FlowStore({ database }),
    mcpServers: new McpServerStore({ database, encryption }),
    runs: new RunStore({ database }),
    seal: new RequestSeal({ encryption }),
    history: new SessionHistory({ keyValue, messages, logger }),
    variables: new VariableStore({ database, encryption }),
  };
}
