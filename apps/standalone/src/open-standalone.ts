import { join, resolve } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { openConnections, serversOf } from '@millrace/connections';
import { DataDirectoryInUseError, DataDirectoryNotEmptyError } from '@millrace/database';
import {
  installedPython,
  openExecutorPython,
  openRunTraces,
  resourceProviders,
  startExecutor,
  withPython,
} from '@millrace/executor';
import { withCodePolicy } from '@millrace/flow';
import { applyAtStart, createGateway, ensureFirstUser } from '@millrace/gateway';
import { BodyBudget } from '@millrace/http';
import { RefusedSignIns } from '@millrace/access';
import { startIngest } from '@millrace/ingest';
import {
  checkEncryptionKey,
  Encryption,
  hashApiKey,
  openObjectStore,
  openOutsideSecrets,
  openStores,
} from '@millrace/runs';
import type { ApiKeyRecord } from '@millrace/runs';
import {
  createOutgoingFetch,
  environmentVariables,
  pythonModeWithOption,
  measureProcess,
  processName,
  ReservedPort,
  StartError,
  version,
} from '@millrace/service';
import type { Environment, Health, Logger, Metrics, OutgoingFetch, Telemetry } from '@millrace/service';
import { banner } from './banner';
import { readOrCreateEncryptionKeys } from './encryption-key';
import { StoredApiKey } from './stored-api-key';
import { loadExamples } from './load-examples';
import { makeDataFolder } from './make-data-folder';
import { standaloneSettings } from './settings';
import type { StandaloneSettings } from './settings';
import type { Advice } from './standalone-options.cjs';
import { createKey } from './create-key';
import { startKey } from './start-key';

const POOL = 'default';
const PREFETCH_AHEAD = 1_000;

export interface OpenStandaloneOptions {
  readonly settings: StandaloneSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly environment: Environment;
  /** Absent when the process is not traced. */
  readonly telemetry?: Telemetry;
  readonly advice: Advice;
  /** Create and store a new API key. */
  readonly makeNewKey?: boolean;
  /** Run components in Python unless the settings say how; texts of uploads need no approval on a loopback address. */
  readonly startsPython?: boolean;
  /** False for a new data folder without example flows. */
  readonly loadsExamples?: boolean;
}

export interface Standalone {
  readonly url: string;
  readonly port: number;
  readonly banner: string;
  /** Creates another API key for the first user. */
  makeKey(name: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts gateway, ingest and executor in one process. A server whose URL is unset is replaced by an embedded part.
 * Creates nothing when its port is not available.
 */
export async function openStandalone(options: OpenStandaloneOptions): Promise<Standalone> {
  const { settings, advice } = options;
  const reservedPort = await ReservedPort.reserve({ host: settings.HOST, port: settings.PORT, ...advice });
  try {
    const standalone = await openOnPort(reservedPort, options);
    const stopMeasuring = measureProcess(options.metrics);
    return {
      ...standalone,
      async close() {
        stopMeasuring();
        await standalone.close();
      },
    };
  } catch (error) {
    reservedPort.release();
    throw error;
  }
}

async function openOnPort(reservedPort: ReservedPort, given: OpenStandaloneOptions): Promise<Standalone> {
  const options = { ...given, settings: withPythonOption(given) };
  const { settings, logger, metrics, health, environment, advice } = options;
  const python = await installedPython(settings);
  const data = await openData(options);
  const { stores, kept, dataDirectory } = data;
  const refusedSignIns = new RefusedSignIns({ audit: stores.audit, logger, metrics });
  const { userId, key } = await prepareFirstUser(options, data);
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const services = await startServices(options, data, { python, fetch, refusedSignIns });
  const { port } = await services.gateway.listen(reservedPort);
  const url = urlOf(settings.HOST, port);
  const folder = { directory: settings.MILLRACE_APPLY_DIRECTORY, url, environment, logger };
  await applyAtStart({ ...folder, key: settings.MILLRACE_BOOTSTRAP_API_KEY ?? kept.read() ?? undefined });
  return {
    url,
    port,
    banner: banner({
      url,
      key,
      givenKeyFile: environment['MILLRACE_BOOTSTRAP_API_KEY_FILE'] || undefined,
      dataDirectory,
      parts: partsOf(settings),
      command: advice.command,
    }),
    makeKey: (name) => createKey(stores, userId, { name, expiresAt: null }),
    async close() {
      health.beginShutdown();
      await services.close();
      await data.connections.close();
      await data.objects?.close();
      await stores.variables.close();
      await fetch.close();
      await metrics.close();
    },
  };
}

type OpenedData = Awaited<ReturnType<typeof openData>>;

/** Opens the data folder, the connections and the stores. */
async function openData({ settings, logger, metrics, health }: OpenStandaloneOptions) {
  const dataDirectory = resolve(settings.MILLRACE_DATA_DIRECTORY);
  const warn = (sentence: string) => logger.warn({}, sentence);
  makeDataFolder(dataDirectory);
  const givenKeys = settings.MILLRACE_ENCRYPTION_KEY;
  const encryption = Encryption.from(givenKeys ?? readOrCreateEncryptionKeys(dataDirectory, warn));
  const kept = new StoredApiKey(dataDirectory, warn);
  const instance = processName('standalone');
  const connections = await openConnections({
    name: 'millrace-standalone.2',
    instance,
    ...serversOf(settings),
    dataDirectory: resolve(dataDirectory, 'database'),
    durability: settings.MILLRACE_DURABILITY,
    pools: [POOL],
    maximumDatabaseConnections: 16,
    migrate: true,
    checkDatabase: (database) => checkEncryptionKey({ database, encryption, logger }),
    logger,
    metrics,
    health,
  }).catch(rethrowFolderError);
  const objects = openObjectStore({ url: settings.MILLRACE_OBJECT_STORE_URL, metrics });
  const stores = openStores({
    ...connections,
    objects,
    encryption,
    pythonMode: settings.MILLRACE_PYTHON,
    logger,
    publicUrl: settings.MILLRACE_PUBLIC_URL,
    outsideSecrets: openOutsideSecrets({ setting: settings.MILLRACE_SECRET_STORE, logger, metrics }),
    onKeyDeleted: (deleted) => markDeletedKey(kept, deleted, logger),
  });
  return { dataDirectory, encryption, kept, instance, connections, objects, stores };
}

/** Creates the first user, its API key and the example flows in a new data folder. */
async function prepareFirstUser(
  { settings, logger, makeNewKey = false, loadsExamples = true }: OpenStandaloneOptions,
  { stores, kept, dataDirectory }: OpenedData,
) {
  const bootstrapKey = settings.MILLRACE_BOOTSTRAP_API_KEY;
  const { id: userId } = await ensureFirstUser({ ...stores, bootstrapKey, logger });
  const isGiven = bootstrapKey !== undefined;
  const key = await startKey({ ...stores, userId, kept, isGiven, makeNew: makeNewKey });
  if (loadsExamples) {
    // Below the checkout, the image and the package alike.
    const directory = join(__dirname, '../../../examples');
    await loadExamples({ ...stores, userId, directory, dataDirectory, logger });
  }
  return { userId, key };
}

interface ServiceParts {
  /** Null while Python is off. */
  readonly python: Awaited<ReturnType<typeof installedPython>>;
  readonly fetch: OutgoingFetch;
  readonly refusedSignIns: RefusedSignIns;
}

/** Starts the executor, ingest and the gateway, which does not listen yet. */
async function startServices(
  options: OpenStandaloneOptions,
  { connections, stores, encryption, instance }: OpenedData,
  { python: installed, fetch, refusedSignIns }: ServiceParts,
) {
  const { settings, logger, metrics, health, environment } = options;
  // Standalone is always one process.
  const ofOneProcess = { ...settings, MILLRACE_WORKERS: 1, MILLRACE_TOTAL_WORKERS: undefined };
  const { database, bus, keyValue, names, clock } = connections;
  const policy = { knownCode: settings.MILLRACE_KNOWN_CODE, editedCode: settings.MILLRACE_EDITED_CODE };
  const registry = withPython(withCodePolicy(componentRegistry, policy), settings, installed);
  const resources = resourceProviders(settings, { database, encryption, files: stores.files });
  const environmentVariable = environmentVariables(environment, settings.MILLRACE_ENVIRONMENT_VARIABLES);
  const shared = { logger, metrics, health, bus, keyValue, names, clock, refusedSignIns, ...stores };
  const { dial } = resources;
  const python = await openExecutorPython({ ...shared, settings, environment: installed, dial });
  const traces = openRunTraces({ ...options, ...shared, process: settings.REDIS_URL ? 'executor' : null });
  const executor = await startExecutor({
    ...shared,
    settings: { ...settings, MILLRACE_POOL: POOL },
    registry,
    fetch,
    resources,
    python,
    environmentVariable,
    traces,
    worker: `${instance}-executor`,
    version,
    // The embedded broker has no other executor, and a commit of the embedded database can take a tenth of a second.
    ...(settings.AMQP_URL === undefined && { prefetchAhead: PREFETCH_AHEAD }),
  });
  const bodies = new BodyBudget({ maximumBytes: settings.MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES });
  const ingest = await startIngest({
    ...shared,
    settings: ofOneProcess,
    instance: `${instance}-ingest`,
    lostAttempts: traces?.lost,
    pythonPool: null,
    fetch,
    bodies,
  });
  const gateway = createGateway({
    ...shared,
    database,
    settings: ofOneProcess,
    settingsDefinition: standaloneSettings,
    instance,
    registry,
    environmentVariable,
    webhooks: { handle: ingest.handle },
    batchesMessages: false,
    pythonPool: null,
    bodies,
  });
  return {
    gateway,
    async close() {
      await gateway.close();
      await ingest.close();
      await refusedSignIns.close();
      await executor.close({ deadlineMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1_000 });
      await python?.pool.close();
      await resources.close();
    },
  };
}

function withPythonOption({ settings, startsPython = false }: OpenStandaloneOptions): StandaloneSettings {
  if (!startsPython) return settings;
  return { ...settings, MILLRACE_PYTHON: pythonModeWithOption(settings.MILLRACE_PYTHON, settings.HOST) };
}

/** Rethrows an expected error of the data folder as StartError, which is printed as one sentence. */
function rethrowFolderError(error: unknown): never {
  const isExpected = error instanceof DataDirectoryInUseError || error instanceof DataDirectoryNotEmptyError;
  throw isExpected ? new StartError(error.message, { cause: error }) : error;
}

/** Marks the stored key as refused when it was deleted, so that it is no longer shown as valid. */
function markDeletedKey(kept: StoredApiKey, { keyHash }: ApiKeyRecord, logger: Logger): void {
  try {
    const key = kept.read();
    if (key === null || hashApiKey(key) !== keyHash) return;
    kept.markRefused({ isRefused: true });
    logger.info({ file: kept.file }, 'the API key that is stored in the data folder was deleted');
  } catch (error) {
    logger.warn({ error }, 'could not mark the API key of the data folder as deleted');
  }
}

/** Returns the URL of the server on this machine. */
function urlOf(host: string, port: number): string {
  if (['0.0.0.0', '::'].includes(host)) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function partsOf({ DATABASE_URL, AMQP_URL, REDIS_URL }: StandaloneSettings): string {
  const part = (name: string, url: string | undefined) =>
    `${name} ${url === undefined ? 'embedded' : 'server'}`;
  return [part('database', DATABASE_URL), part('broker', AMQP_URL), part('key-value store', REDIS_URL)].join(
    ', ',
  );
}
