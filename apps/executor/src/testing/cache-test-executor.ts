import { componentRegistry } from '@millrace/components';
import type { CachePolicy } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { FrozenResultCache } from '@millrace/engine';
import type { RunRequest } from '@millrace/flow';
import { openKeyValueStore } from '@millrace/key-value';
import { Encryption, FlowStore, RunStore, MessageStore, SessionHistory, VariableStore } from '@millrace/runs';
import { createLogger, createMetrics, localClock, readSettings, uuidv7 } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import { dispatchAttempt } from '../attempts/attempt';
import { PlanCache } from '../attempts/plan-cache';
import { resourceProviders } from '../attempts/resources/resource-providers';
import { recordingOf } from '../attempts/vertex-records/run-recorder';
import { ResultCache } from '../attempts/result-cache/result-cache';
import type { ResultCacheBounds } from '../attempts/result-cache/result-cache';
import { executorSettings } from '../settings';
import { MessageVisibility } from '../records/run-messages';
import { switchableKeyValueStore } from './switchable-stores';

const logger = createLogger({ name: 'cache-test-executor', level: 'silent' });
const settings = readSettings(executorSettings, {});
const DEADLINE_MILLISECONDS = 120_000;

export interface TestRunRequest {
  readonly userId: string;
  readonly flowId: string;
  readonly flowVersion?: number;
  readonly request: RunRequest;
  readonly policy?: CachePolicy;
  readonly signal?: AbortSignal;
  readonly maximumAnswerBytes?: number;
}

export interface TestRunOutcome extends AttemptOutcome {
  readonly runId: string;
}

/** The stores that test executors share: the flows and variables of one database, and the plans. */
export async function openCacheTestStores(database: Database) {
  const encryption = Encryption.from([Buffer.alloc(32, 7).toString('base64')]);
  const flows = new FlowStore({ database });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'cache-test-stores' });
  return {
    database,
    flows,
    runs: new RunStore({ database }),
    plans: new PlanCache({ flows, keyValue, registry: componentRegistry }),
    metrics: createMetrics(),
    variables: new VariableStore({ database, encryption }),
    resources: resourceProviders(settings, { database, encryption }),
  };
}

/** The execution of runs as in an executor, with its own sessions and cached results. */
export async function openCacheTestExecutor(
  stores: Awaited<ReturnType<typeof openCacheTestStores>>,
  {
    fetch,
    bounds = { maximumEntries: 1_000, maximumCharacters: 131_072 },
    version = 'test',
  }: {
    readonly fetch: typeof globalThis.fetch;
    readonly bounds?: ResultCacheBounds;
    readonly version?: string;
  },
) {
  const keyValue = switchableKeyValueStore(
    await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'cache-test-executor' }),
  );
  const recording = recordingLogger();
  const messages = new MessageStore({ database: stores.database });
  const history = new SessionHistory({ keyValue, messages, logger: recording });
  const environmentVariable = (name: string) => (name === 'OPENAI_API_KEY' ? 'sk-test' : undefined);
  const shared = { ...stores, history, fetch, environmentVariable, logger, clock: localClock };
  const attempts = {
    ...shared,
    limits: { maximumVertices: 1_000, maximumOutputBytes: 1_000_000 },
    recording: recordingOf(settings),
    budgets: { reserve: () => null },
    frozenResults: new FrozenResultCache({ maximumBytes: 1_000 }),
  };
  const results = new ResultCache({ ...shared, ...bounds, keyValue, version, logger: recording });
  const visibility = new MessageVisibility({ history, logger });
  return {
    keyValue,
    logged: recording.fieldsOf,

    async run({
      policy,
      signal = new AbortController().signal,
      flowVersion = 1,
      maximumAnswerBytes = 1_000_000,
      ...asked
    }: TestRunRequest): Promise<TestRunOutcome> {
      const runId = uuidv7();
      const deadline = Date.now() + DEADLINE_MILLISECONDS;
      const outcome = await dispatchAttempt(
        { attempts, results },
        {
          ...asked,
          runId,
          attempt: 1,
          keyId: null,
          flowVersion,
          deadline,
          signal,
          durable: false,
          isolated: false,
          plan: () => attempts.plans.get(asked.flowId, flowVersion),
          maximumAnswerBytes,
          emit: () => undefined,
          watch: null,
          cache: policy,
        },
      );
      await visibility.show({ ...asked, deadline }, outcome.messages, Promise.resolve());
      return { ...outcome, runId };
    },

    async close(): Promise<void> {
      history.close();
      keyValue.isAway = false;
      await keyValue.close();
    },
  };
}

export type CacheTestExecutor = Awaited<ReturnType<typeof openCacheTestExecutor>>;
