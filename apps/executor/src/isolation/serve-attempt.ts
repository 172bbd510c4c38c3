import { openConnections, requireSettings } from '@millrace/connections';
import { FrozenResultCache } from '@millrace/engine';
import { jsonDumpsCompactAscii } from '@millrace/flow';
import type { ComponentRegistry } from '@millrace/flow';
import type { MessageRow } from '@millrace/runs';
import { createMetrics, Health, serverTls, startWatchdog } from '@millrace/service';
import type { Environment, Logger } from '@millrace/service';
import { runAttempt } from '../attempt';
import type { AttemptDependencies } from '../attempt';
import { openAttempts } from '../open-attempts';
import { PlanCache } from '../plan-cache';
import type { ExecutorSettings } from '../settings';
import type { FromChild, IsolatedOrder, ToChild } from './isolation-messages';

export interface ServeAttemptOptions {
  readonly settings: ExecutorSettings;
  readonly logger: Logger;
  readonly environment: Environment;
  readonly registry: ComponentRegistry;
}

/** Runs one attempt for the executor that has forked this process; resolves when its outcome is told. */
export async function serveAttempt({
  logger,
  environment,
  registry,
  ...options
}: ServeAttemptOptions): Promise<void> {
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'MILLRACE_ENCRYPTION_KEY']);
  // Who waits for the outcome kills a process that is late, but may die first.
  if (settings.MILLRACE_STALL_SECONDS > 0) {
    startWatchdog({ name: 'single-run', limitMilliseconds: settings.MILLRACE_STALL_SECONDS * 1_000 });
  }
  process.once('disconnect', () => process.exit(1));
  const abort = new AbortController();
  const connections = await openConnections({
    name: `millrace-single-run-${process.pid}`,
    instance: `single-run-${process.pid}`,
    databaseUrl: settings.DATABASE_URL,
    preparedStatements: settings.DATABASE_PREPARED_STATEMENTS,
    // Its executor speaks with the broker.
    brokerUrl: undefined,
    keyValueUrl: settings.REDIS_URL,
    tls: serverTls(settings),
    dataDirectory: undefined,
    prefix: settings.MILLRACE_PREFIX,
    pools: [],
    maximumDatabaseConnections: 2,
    migrate: false,
    logger,
    metrics: createMetrics(),
    health: new Health(),
  });
  const parts = openAttempts(settings, { ...connections, logger, environment });
  // Nothing is kept: there is one attempt here.
  const frozenResults = new FrozenResultCache({ maximumBytes: 1 });
  const plans = new PlanCache({ ...parts, registry });
  const order = await nextOrder(abort);
  const outcome = await runAttempt(
    { ...parts, clock: connections.clock, logger, plans, frozenResults },
    attemptOrder(order, plans, abort.signal),
  );
  await say({ kind: 'outcome', outcome: { ...outcome, messages: outcome.messages.map(plainRow) } });
}

function attemptOrder(
  { flowVersion, ...order }: IsolatedOrder,
  plans: AttemptDependencies['plans'],
  signal: AbortSignal,
): Parameters<typeof runAttempt>[1] {
  return {
    ...order,
    plan: () => plans.get(order.flowId, flowVersion),
    signal,
    emit: (event) =>
      order.request.stream ? say({ kind: 'event', text: jsonDumpsCompactAscii(event) }) : undefined,
    watch: null,
  };
}

/** What is stored as JSON is sent as JSON says it. */
function plainRow(row: MessageRow): MessageRow {
  return { ...(JSON.parse(JSON.stringify(row)) as MessageRow), timestamp: row.timestamp };
}

function nextOrder(abort: AbortController): Promise<IsolatedOrder> {
  return new Promise((resolve) => {
    process.on('message', (given) => {
      const message = given as ToChild;
      if (message.kind === 'abort') abort.abort(message.reason);
      else resolve(message.order);
    });
    void say({ kind: 'ready' });
  });
}

/** Resolves when it is with the operating system. */
function say(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) throw new Error('nobody has forked this process');
    process.send(message, () => resolve());
  });
}
