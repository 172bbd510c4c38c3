import { componentRegistry } from '@millrace/components';
import { createMetrics, Health, localClock, readSettings } from '@millrace/service';
import type { Metrics } from '@millrace/service';
import type { Encryption, MessageStore } from '@millrace/runs';
import { SessionHistory } from '@millrace/runs';
import type { Database } from '@millrace/database';
import { resourceProviders } from '../attempts/resources/resource-providers';
import type { ResourceProviders } from '../attempts/resources/resource-providers';
import { startExecutor } from '../executor';
import type { Executor } from '../executor';
import type { ExecutorDependencies, ExecutorOptions } from '../executor-dependencies';
import { executorSettings } from '../settings';

type Shared = Pick<
  ExecutorDependencies,
  'bus' | 'keyValue' | 'names' | 'flows' | 'runs' | 'seal' | 'variables' | 'fetch' | 'logger'
>;

export interface TestExecutorsOptions extends Shared {
  readonly database: Database;
  readonly encryption: Encryption;
  readonly messages: MessageStore;
  /** Those of the executor `worker-1`; each other one has its own. */
  readonly metrics: Metrics;
}

export type TestExecutorOptions = Partial<
  Pick<
    ExecutorDependencies,
    'bus' | 'clock' | 'isolation' | 'limits' | 'logger' | 'metrics' | 'prefetchAhead' | 'variables'
  >
> & { readonly settings?: Partial<ExecutorOptions> };

const defaults = {
  ...readSettings(executorSettings, {}),
  MILLRACE_CONCURRENCY: 4,
  MILLRACE_VERTEX_RECORDS: false,
};

/** Starts executors that share the stores of an installation. */
export class TestExecutors {
  readonly #options: TestExecutorsOptions;
  readonly #executors: Executor[] = [];
  readonly #resources: ResourceProviders[] = [];

  constructor(options: TestExecutorsOptions) {
    this.#options = options;
  }

  async start(worker: string, { settings, limits, ...more }: TestExecutorOptions = {}): Promise<Executor> {
    const { keyValue, messages, logger, metrics } = this.#options;
    const resources = resourceProviders(defaults, this.#options);
    this.#resources.push(resources);
    const executor = await startExecutor({
      ...this.#options,
      metrics: worker === 'worker-1' ? metrics : createMetrics(),
      settings: { ...defaults, ...settings },
      limits: {
        runVertices: 1_000,
        outputBytes: 1_000_000,
        userCachedResults: 1_000,
        eventLoopLagMilliseconds: Number.POSITIVE_INFINITY,
        ...limits,
      },
      health: new Health(),
      registry: componentRegistry,
      clock: localClock,
      history: new SessionHistory({ keyValue, messages, logger }),
      resources,
      environmentVariable: (name) => (name === 'OPENAI_API_KEY' ? 'sk-test' : undefined),
      worker,
      version: 'test',
      ...more,
    });
    this.#executors.push(executor);
    return executor;
  }

  async close(): Promise<void> {
    for (const executor of this.#executors) await executor.close({ deadlineMilliseconds: 3_000 });
    for (const resources of this.#resources) await resources.close();
  }
}
