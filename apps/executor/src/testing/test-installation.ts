import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { brokerNames, replyTopology, runsTopology } from '@millrace/contracts';
import type { Job } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import type { RunRequest } from '@millrace/flow';
import { openKeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import type { Delivery, MessageBus } from '@millrace/messaging';
import {
  Encryption,
  FlowStore,
  MessageStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  TraceStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { FlowRecord, NewRun } from '@millrace/runs';
import { createLogger, createMetrics, Health, localClock, readSettings, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { resourceProviders } from '../attempts/resources/resource-providers';
import type { ResourceProviders } from '../attempts/resources/resource-providers';
import { executorSettings } from '../settings';
import { startExecutor } from '../executor';
import type { Executor } from '../executor';
import type { ExecutorDependencies } from '../executor-dependencies';
import { slowModel } from './slow-model';
import { switchableDatabase, switchableKeyValueStore } from './switchable-stores';

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
  const replyTo = names.reply('test');
  const database = switchableDatabase(opened);
  const bus = await openMessageBus({ url: brokerUrl, logger, name: 'executor-test' });
  const keyValue = switchableKeyValueStore(
    await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'executor-test' }),
  );
  await bus.provision(runsTopology(names, ['default']));
  await bus.provision(replyTopology(names, 'test'));
  const replies: Delivery[] = [];
  await bus.consume(replyTo, { prefetch: 100, noAck: true }, async (delivery) => {
    replies.push(delivery);
    return 'done';
  });
  const flows = new FlowStore({ database });
  const encryption = Encryption.from([ENCRYPTION_KEY]);
  const seal = new RequestSeal({ encryption });
  const runs = new RunStore({ database, seal });
  const messages = new MessageStore({ database });
  const userId = (await new UserStore({ database }).ensureFirst()).id;
  const model = slowModel();
  const executors: Executor[] = [];
  const openedResources: ResourceProviders[] = [];
  const metrics = createMetrics();

  const installation = {
    names,
    database,
    bus,
    keyValue,
    replies,
    flows,
    runs,
    seal,
    messages,
    traces: new TraceStore({ database }),
    variables: new VariableStore({ database, encryption }),
    userId,
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
        variables: installation.variables,
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

    request: (inputValue: string, changes: Partial<RunRequest> = {}): RunRequest => ({
      form: 'simple',
      inputs: [{ components: [], inputValue, type: 'chat' }],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: 'session',
      globalVariables: {},
      ...changes,
    }),

    job: (flow: FlowRecord, changes: Partial<Job> = {}): Job => ({
      schemaVersion: 1,
      runId: uuidv7(),
      lane: 'interactive',
      pool: 'default',
      flowId: flow.id,
      flowVersion: flow.version,
      userId,
      durable: false,
      deadline: Date.now() + 10_000,
      acceptedAt: Date.now(),
      request: installation.request('hello'),
      claimCheck: null,
      ...changes,
    }),

    /** Stores a run and returns its job. */
    async accept(flow: FlowRecord, changes: Partial<NewRun> = {}): Promise<Job> {
      const run: NewRun = {
        id: uuidv7(),
        flowId: flow.id,
        flowVersion: flow.version,
        userId,
        lane: 'background',
        pool: 'default',
        origin: 'webhook',
        request: installation.request('durable', { sessionId: 'durable-session' }),
        sessionId: 'durable-session',
        limitMilliseconds: 10_000,
        maximumAttempts: 3,
        ...changes,
      };
      await runs.accept([run]);
      return installation.job(flow, {
        runId: run.id,
        lane: 'background',
        durable: true,
        request: null,
        deadline: null,
      });
    },

    send: (job: Job) => installation.sendText(JSON.stringify(job), job),

    async sendText(text: string, { lane, runId }: Pick<Job, 'lane' | 'runId'>): Promise<void> {
      await bus.publish({
        exchange: names.runsExchange,
        routingKey: names.routingKey(lane, 'default'),
        body: Buffer.from(text),
        persistent: lane === 'background',
        mandatory: true,
        correlationId: runId,
        replyTo,
      });
    },

    /**
     * Sends a job to an executor that does not finish it; must be called while no other executor runs. The returned
     * function crashes that executor, so that the next one gets a redelivery.
     */
    async sendToCrashingExecutor(job: Job): Promise<() => Promise<void>> {
      let onTaken: () => void = () => undefined;
      const taken = new Promise<void>((resolve) => {
        onTaken = resolve;
      });
      const crashingExecutor = await bus.consume(
        names.lane(job.lane, 'default'),
        { prefetch: 1 },
        async () => {
          onTaken();
          return new Promise(() => undefined);
        },
      );
      await installation.send(job);
      await taken;
      return () => crashingExecutor.close({ deadlineMilliseconds: 0 });
    },

    /** Sends a job so that the next executor gets it as a redelivery. */
    async sendAsRedelivery(job: Job): Promise<void> {
      const crash = await installation.sendToCrashingExecutor(job);
      await crash();
    },

    control: (message: unknown) =>
      bus.publish({
        exchange: names.controlExchange,
        routingKey: '',
        body: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
        persistent: false,
        mandatory: false,
      }),

    finals: (runId: string) =>
      replies.filter(({ correlationId, type }) => correlationId === runId && type === 'final'),

    async finalReply(runId: string): Promise<Delivery> {
      await until(() => installation.finals(runId).length > 0, `run ${runId} was not answered`);
      return installation.finals(runId)[0] as Delivery;
    },

    async recorded(runId: string): Promise<void> {
      const isRecorded = () =>
        replies.some(({ type, body }) => type === 'recorded' && body.toString().includes(runId));
      await until(isRecorded, `run ${runId} was not recorded`);
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
