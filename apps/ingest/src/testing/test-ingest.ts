import type { RefusedSignIns } from '@millrace/access';
import { brokerNames, runsTopology } from '@millrace/messages';
import type { FlowSettings } from '@millrace/flow';
import type { Job } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openMessageBus } from '@millrace/messaging';
import { ApiKeyStore, Encryption, FlowStore, RunStore, UserStore, VariableStore } from '@millrace/runs';
import type { AuditLog, CallbackStore, FileStore, RefusedDeliveryStore, TriggerStore } from '@millrace/runs';
import { createMetrics, Health, localClock } from '@millrace/service';
import type { Metrics } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import type { LogLine } from '@millrace/service/testing';
import { startIngest } from '../ingest';
import type { IngestDependencies, IngestOptions } from '../ingest-dependencies';
import { testAudit } from './test-audit';
import { testSettings } from './test-settings';
import { testStores } from './test-stores';

const names = brokerNames();
const document = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };

export interface TestIngestOptions extends Partial<Omit<IngestDependencies, 'settings'>> {
  readonly settings?: Partial<IngestOptions>;
}

export interface TestIngest {
  readonly database: Database;
  readonly lines: readonly LogLine[];
  /** Returns the fields of the lines of the log with this message. */
  readonly logged: (message: string) => object[];
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly refusedSignIns: RefusedSignIns;
  readonly files: FileStore;
  readonly runs: RunStore;
  readonly apiKeys: ApiKeyStore;
  readonly variables: VariableStore;
  readonly callbacks: CallbackStore;
  readonly refusedDeliveries: RefusedDeliveryStore;
  readonly triggers: TriggerStore;
  readonly userId: string;
  /** Base address of the webhooks; append the flow's name. */
  readonly url: string;
  /** The jobs that were published to the background lane. */
  readonly jobs: readonly Job[];
  newUser(name: string): Promise<string>;
  /** Creates a flow whose endpoint name is its name; resolves to its id. */
  newFlow(name: string, settings: FlowSettings, userId?: string): Promise<string>;
  /** Publishes a control message to every process. */
  announce(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens ingest on an embedded bus and, unless given, an embedded database, which it then closes; no executor runs the accepted
 * runs.
 */
export async function openTestIngest(
  given: TestIngestOptions | ((database: Database) => TestIngestOptions) = {},
  givenDatabase?: Database,
): Promise<TestIngest> {
  const logger = recordingLogger();
  const database = givenDatabase ?? (await openMigratedDatabase(logger));
  const { settings, limits, ...options } = typeof given === 'function' ? given(database) : given;
  const metrics = options.metrics ?? createMetrics();
  const bus = await openMessageBus({ url: undefined, logger, name: 'ingest-test' });
  await bus.provision(runsTopology(names, ['default']));
  const jobs: Job[] = [];
  await bus.consume(names.lane('background', 'default'), { prefetch: 1_000 }, async ({ body }) => {
    jobs.push(JSON.parse(body.toString()) as Job);
    return 'done';
  });
  const users = new UserStore({ database });
  const flows = new FlowStore({ database });
  const stores = {
    ...testAudit(database),
    ...testStores(database),
    apiKeys: new ApiKeyStore({ database }),
    flows,
    variables: new VariableStore({ database, encryption: Encryption.from(['0'.repeat(64)]) }),
    runs: new RunStore({ database }),
  };
  const userId = (await users.ensureFirst()).id;
  const ingest = await startIngest({
    logger,
    metrics,
    health: new Health(),
    bus,
    names,
    clock: localClock,
    ...stores,
    instance: 'ingest-test',
    pythonPool: null,
    settings: testSettings(settings),
    limits: { bodyMembers: 10_000, ...limits },
    ...options,
  });
  const { port } = await ingest.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...stores,
    database,
    lines: logger.lines,
    logged: logger.fieldsOf,
    metrics,
    userId,
    url: `http://127.0.0.1:${port}/api/v1/webhook`,
    jobs,
    newUser: async (username) => (await users.create({ username, isAdmin: false })).id,
    newFlow: async (name, flowSettings, owner = userId) =>
      (await flows.create(owner, { name, endpointName: name, document, settings: flowSettings })).id,
    announce: (message) =>
      bus.publish({
        exchange: names.controlExchange,
        routingKey: '',
        body: Buffer.from(JSON.stringify(message)),
        persistent: false,
        mandatory: false,
      }),
    async close() {
      await ingest.close();
      await stores.refusedSignIns.close();
      await bus.close();
      if (!givenDatabase) await database.close();
    },
  };
}
