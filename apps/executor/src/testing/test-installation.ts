import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerNames, replyTopology, runsTopology } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openKeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import { Encryption, openStores, TraceStore } from '@millrace/runs';
import type { FlowRecord, FlowStore } from '@millrace/runs';
import { createMetrics, uuidv7 } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import type { Executor } from '../executor';
import { slowModel } from './slow-model';
import { switchableDatabase, switchableKeyValueStore } from './switchable-stores';
import { TestExecutors } from './test-executors';
import type { TestExecutorOptions } from './test-executors';
import { testJobs } from './test-jobs';
import { testMessages } from './test-messages';

const ROOT = join(__dirname, '..', '..', '..', '..');
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

export type TestInstallation = Awaited<ReturnType<typeof openTestInstallation>>;

/** Opens an embedded, migrated database. */
export async function openTestDatabase(): Promise<Database> {
  return openMigratedDatabase(recordingLogger());
}

/** Opens a broker and a key-value store, sends jobs and receives replies as a gateway does, and starts executors. */
export async function openTestInstallation(
  opened: Database,
  { brokerUrl, prefix = '' }: { readonly brokerUrl?: string; readonly prefix?: string } = {},
) {
  const logger = recordingLogger();
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
  const metrics = createMetrics();
  const shared = { names, database, bus, keyValue, flows, runs, seal, messages, variables, metrics };
  const executors = new TestExecutors({ ...shared, encryption, fetch: model.fetch, logger });

  return {
    ...shared,
    lines: logger.lines,
    logged: logger.fieldsOf,
    traces: new TraceStore({ database }),
    userId,
    ...testJobs({ runs, userId }),
    ...(await testMessages(bus, names)),
    model,
    echo: await example(flows, userId, 'echo'),
    chat: await example(flows, userId, 'chat'),

    startExecutor(worker: string, options?: TestExecutorOptions): Promise<Executor> {
      return executors.start(worker, options);
    },

    async close(): Promise<void> {
      database.isAway = false;
      database.isStalled = false;
      keyValue.isAway = false;
      model.answer('late');
      await executors.close();
      await bus.close();
      await keyValue.close();
    },
  };
}

async function example(flows: FlowStore, userId: string, name: string): Promise<FlowRecord> {
  const text = readFileSync(join(ROOT, 'examples', `${name}.json`), 'utf8');
  const { data } = JSON.parse(text) as { data: unknown };
  return flows.create(userId, { name: `${name}-${uuidv7()}`, document: data });
}
