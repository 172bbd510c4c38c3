import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { brokerNames, replyTopology, runsTopology } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openKeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { Encryption, openStores, SessionHistory, TraceStore } from '@millrace/runs';
import type { FlowRecord, FlowStore } from '@millrace/runs';
import { createLogger, createMetrics, Health, localClock, readSettings, uuidv7 } from '@millrace/service';
import { resourceProviders } from '../attempts/resources/resource-providers';
import type { ResourceProviders } from '../attempts/resources/resource-providers';
import { executorSettings } from '../settings';
import { startExecutor } from '../executor';
import type { Executor } from '../executor';
import type { ExecutorDependencies } from '../executor-dependencies';
import { slowModel } from './slow-model';
import { switchableDatabase, switchableKeyValueStore } from './switchable-stores';
import { testJobs } from './test-jobs';
import { testMessages } from './test-messages';

const ROOT = join(__dirname, '..', '..', '..', '..');
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

interface TestExecutorOptions extends Partial<
  Pick<ExecutorDependencies, 'clock' | 'concurrency' | 'isolation' | 'logger' | 'prefetchAhead' | 'recording'>
> {
  readonly maximumOutputBytes?: number;
  readonly executorBus?: MessageBus;
}

export type TestInstallation = Awaited<ReturnType<typeof openTestInstallation>>;

const logger = createLogger({ name: 'executor-test', level: 'silent' });

/** Opens an embedded, migrated database. */
export async function openTestDatabase(): Promise<Database> {
  const database = await openMigratedDatabase(logger);
  return database;
}

/** Opens a broker and a key-value store, sends jobs and receives replies as a gateway does, and starts executors. */
export async function openTestInstallation(
  opened: Database,
  { brokerUrl, prefix = '' }: { readonly brokerUrl?: string; readonly prefix?: string } = {},
) {
  const names = brokerNames(prefix);
  const database = switchableDatabase(opened);
  const bus = await openMessageBus({ url: brokerUrl, logger, name: 'executor-test' });
  const keyValue = switchableKeyValueStore(
    await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'executor-test' }),
  );
  await bus.provision(runsTopology(names, ['default']));
  await bus.provision(replyTopology(names, 'test'));
  const encryption = Encryption.from([ENCRYPTION_KEY]);
  const stores = openStores({ database, keyValue, encryption, logger });
  const { flows, runs, seal, messages, variables } = stores;
  const userId = (await stores.users.ensureFirst()).id;
  const model = slowModel();
  const executors: Executor[] = [];
  const openedResources: ResourceProviders[] = [];
  const metrics = createMetrics();

  const installation = {
    names,
    database,
    bus,
    keyValue,
    flows,
    runs,
    seal,
    messages,
    traces: new TraceStore({ database }),
    variables,
    userId,
    ...testJobs({ runs, userId }),
    ...(await testMessages(bus, names)),
    model,
    metrics,
    echo: await example(flows, userId, 'echo'),
    chat: await example(flows, userId, 'chat'),

    async startExecutor(
      worker: string,
      {
        concurrency = 4,
        maximumOutputBytes = 1_000_000,
        executorBus = bus,
        ...more
      }: TestExecutorOptions = {},
    ): Promise<Executor> {
      const resources = resourceProviders(readSettings(executorSettings, {}), { database, encryption });
      openedResources.push(resources);
      const executor = await startExecutor({
        logger,
        metrics: worker === 'worker-1' ? metrics : createMetrics(),
        health: new Health(),
        bus: executorBus,
        keyValue,
        registry: componentRegistry,
        names,
        clock: localClock,
        flows,
        runs,
        seal,
        history: new SessionHistory({ keyValue, messages, logger }),
        variables,
        limits: { maximumVertices: 1_000, maximumOutputBytes },
        resultCache: { maximumEntries: 1_000, maximumCharacters: 131_072 },
        fetch: model.fetch,
        resources,
        environmentVariable: (name) => (name === 'OPENAI_API_KEY' ? 'sk-test' : undefined),
        worker,
        version: 'test',
        pool: 'default',
        concurrency,
        ...more,
      });
      executors.push(executor);
      return executor;
    },

    async close(): Promise<void> {
      database.isAway = false;
      database.isStalled = false;
      keyValue.isAway = false;
      model.answer('late');
      for (const executor of executors) await executor.close({ deadlineMilliseconds: 3_000 });
      for (const resources of openedResources) await resources.close();
      await bus.close();
      await keyValue.close();
    },
  };
  return installation;
}

async function example(flows: FlowStore, userId: string, name: string): Promise<FlowRecord> {
  const text = readFileSync(join(ROOT, 'examples', `${name}.json`), 'utf8');
  const { data } = JSON.parse(text) as { data: unknown };
  return flows.create(userId, { name: `${name}-${uuidv7()}`, document: data });
}
