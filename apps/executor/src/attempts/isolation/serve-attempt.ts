import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import { FrozenResultCache } from '@millrace/engine';
import type { ComponentRegistry } from '@millrace/flow';
import { ApprovedCode, AuthorCodeStore } from '@millrace/runs';
import type { MessageRow } from '@millrace/runs';
import {
  createMetrics,
  fixedLimits,
  Health,
  inTraceOf,
  startWatchdog,
  withDeadline,
} from '@millrace/service';
import type { Environment, Logger, Telemetry } from '@millrace/service';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import { runAttempt } from '../attempt';
import type { AttemptDependencies } from '../attempt-order';
import { openAttempts } from '../open-attempts';
import { PlanCache } from '../plan-cache';
import { Budgets } from '../spending/budgets';
import type { AttemptPythonParts, ExecutorPython } from '../python/executor-python';
import { installedPython, openPython, withPython } from '../python/open-python';
import type { OpenPythonOptions } from '../python/open-python';
import { recordingOf } from '../vertex-records/run-recorder';
import type { ExecutorSettings } from '../../settings';
import type { PythonPool } from '@millrace/python';
import { openRunTraces } from '../../traces/open-run-traces';
import type { FromChild, IsolatedOrder, ToChild } from './isolation-messages';

/** How long the caller waits for the export of spans. */
const EXPORT_MILLISECONDS = 2_000;

export interface ServeAttemptOptions {
  readonly settings: ExecutorSettings;
  readonly logger: Logger;
  readonly environment: Environment;
  readonly registry: ComponentRegistry;
  readonly telemetry: Telemetry;
}

/** Executes one attempt for the executor that has forked this process. Resolves when its outcome has been sent. */
export async function serveAttempt({
  logger,
  environment,
  registry,
  telemetry,
  ...options
}: ServeAttemptOptions): Promise<void> {
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'MILLRACE_ENCRYPTION_KEY']);
  // The executor kills a process that is late, but the executor may crash first.
  startWatchdog({ name: 'single-run', limitMilliseconds: fixedLimits.watchdogMilliseconds });
  process.once('disconnect', () => process.exit(1));
  const abort = new AbortController();
  const metrics = createMetrics();
  const connections = await openConnections({
    name: `millrace-single-run.2-${process.pid}`,
    instance: `single-run-${process.pid}`,
    ...serversOf(settings),
    // Only its executor connects to the broker.
    brokerUrl: undefined,
    dataDirectory: undefined,
    pools: [],
    maximumDatabaseConnections: 2,
    migrate: false,
    logger,
    metrics,
    health: new Health(),
  });
  const parts = openAttempts({ ...connections, settings, logger, metrics, environment });
  const installed = await installedPython(settings);
  // This process executes one attempt, so it caches nothing.
  const frozenResults = new FrozenResultCache({ maximumBytes: 1 });
  const plans = new PlanCache({ ...parts, registry: withPython(registry, settings, installed) });
  const order = await receiveOrder(abort);
  const python =
    installed === null
      ? undefined
      : new PythonOfOneAttempt({
          settings,
          environment: installed,
          authorCode: new AuthorCodeStore(connections),
          dial: parts.resources.dial,
          logger,
          metrics,
        });
  const traces = openRunTraces({ ...parts, telemetry, process: 'single-run', logger, environment });
  const steps = traces?.observe(order);
  const recording = recordingOf(settings);
  const budgets = new Budgets({
    store: parts.resources.budgets,
    users: { has: () => true },
    prices: recording.prices,
    metrics,
    logger,
  });
  const run = () =>
    runAttempt(
      {
        ...parts,
        limits: { maximumVertices: fixedLimits.runVertices, maximumOutputBytes: fixedLimits.outputBytes },
        recording,
        budgets,
        clock: connections.clock,
        logger,
        plans,
        frozenResults,
        python,
      },
      { ...attemptOrder(order, plans, abort.signal), observer: steps?.observer },
    );
  const outcome = await inTraceOf(order.traceparent, () => (steps ? steps.within(run) : run()));
  steps?.spans.close();
  await budgets.close();
  await python?.close();
  await parts.variables.close();
  await exportSpans(telemetry, logger);
  const messages = outcome.messages.map(toPlainRow);
  // A class does not survive the way to the executor.
  const body = Buffer.isBuffer(outcome.body) ? outcome.body : outcome.body.toBuffer();
  await send({ kind: 'outcome', outcome: { ...outcome, body, messages } });
}

/** Starts Python when the first vertex of the run needs it: that can be one of a sub-flow. */
class PythonOfOneAttempt implements AttemptPythonParts {
  readonly authorCode: AuthorCodeStore;
  readonly approvedCode: ApprovedCode;
  readonly #options: OpenPythonOptions;
  #opening: Promise<ExecutorPython> | null = null;
  #opened: ExecutorPython | null = null;

  constructor(options: OpenPythonOptions) {
    this.#options = options;
    this.authorCode = options.authorCode;
    this.approvedCode = new ApprovedCode({
      store: options.authorCode,
      mode: options.settings.MILLRACE_PYTHON,
    });
  }

  async openPool(): Promise<PythonPool> {
    const { approvedCode } = this;
    this.#opening ??= openPython({ ...this.#options, approvedCode, isForOneAttempt: true });
    this.#opened = await this.#opening;
    return this.#opened.pool;
  }

  /** The outcome does not wait for a Python that is still starting: it ends with this process. */
  async close(): Promise<void> {
    await this.#opened?.pool.close();
  }
}

/** The executor kills this process when it has the outcome. */
async function exportSpans(telemetry: Telemetry, logger: Logger): Promise<void> {
  try {
    await withDeadline(telemetry.close(), EXPORT_MILLISECONDS, 'the spans were not exported');
  } catch (error) {
    logger.warn({ error }, 'spans of an isolated attempt are lost');
  }
}

function attemptOrder(
  { flowVersion, traceparent: _, ...order }: IsolatedOrder,
  plans: AttemptDependencies['plans'],
  signal: AbortSignal,
): Parameters<typeof runAttempt>[1] {
  return {
    ...order,
    plan: () => plans.get(order.flowId, flowVersion),
    signal,
    emit: (event) =>
      order.request.stream ? send({ kind: 'event', text: jsonDumpsCompactAscii(event) }) : undefined,
    watch: null,
  };
}

/** Converts the JSON columns of a row to plain values, as they will be stored. */
function toPlainRow(row: MessageRow): MessageRow {
  return { ...(JSON.parse(JSON.stringify(row)) as MessageRow), timestamp: row.timestamp };
}

function receiveOrder(abort: AbortController): Promise<IsolatedOrder> {
  return new Promise((resolve) => {
    process.on('message', (received) => {
      const message = received as ToChild;
      if (message.kind === 'abort') abort.abort(message.reason);
      else resolve(message.order);
    });
    void send({ kind: 'ready' });
  });
}

/** Resolves when the operating system has accepted the message. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) throw new Error('this process was not forked by an executor');
    process.send(message, () => resolve());
  });
}
