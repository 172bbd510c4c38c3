import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import type { Logger } from '../../logging/logger';
import { createMetrics } from '../../metrics/create-metrics';
import type { Metrics } from '../../metrics/metrics';
import { TimeoutError, withDeadline } from '../../time/with-deadline';
import { onStopSignal } from '../on-stop-signal';
import { EXIT_CONFIGURATION } from '../exit-codes';
import { GatherMetrics } from './gather-metrics';
import type { MessageToSupervisor } from './worker-messages';
import { WorkerSlot } from './worker-slot';
import type { RestartRule, WorkerEnd } from './worker-slot';

export interface SuperviseWorkersOptions {
  readonly name: string;
  readonly logger: Logger;
  readonly count: number;
  /** How long a worker process may take to stop. */
  readonly shutdownMilliseconds: number;
  readonly restarts?: RestartRule;
}

/** Some 50 s of trying: longer than a server takes to be started again, shorter than anybody wants to look on. */
const standardRestarts: RestartRule = {
  initialMilliseconds: 250,
  maximumMilliseconds: 10_000,
  limit: 10,
  steadyMilliseconds: 10_000,
};
/** What stopping takes besides the time that each process has for it. */
const MARGIN_MILLISECONDS = 2_000;

/**
 * Makes this process the supervisor of `count` others that run the same program and share its ports. It starts them,
 * starts another one for each that ends, later and later when they end soon, and passes SIGTERM and SIGINT on. It exits
 * with 0 when all have stopped well; with 78 when one says that the settings are wrong; with 1 when one was slow or
 * failed to stop, or one ended soon too many times in a row. A second signal ends everything at once.
 */
export function superviseWorkers(options: SuperviseWorkersOptions): void {
  const { name, logger, count } = options;
  const rule = options.restarts ?? standardRestarts;
  const metrics = createMetrics();
  const restarts = metrics.counter(
    'millrace_worker_restarts_total',
    'Worker processes that were followed by another one',
  );
  const stop = stopOnce(options, () => slots);
  const onEnd = (end: WorkerEnd): boolean => {
    if (end.code === EXIT_CONFIGURATION) {
      logger.fatal(end, `${name}: a worker process found the settings wrong`);
      stop(EXIT_CONFIGURATION);
      return false;
    }
    if (end.failures > rule.limit) {
      logger.fatal(end, `${name}: a worker process ended too often soon after its start`);
      stop(1);
      return false;
    }
    logger.warn(end, `${name}: a worker process ended, another one follows`);
    restarts.add(1);
    return true;
  };
  const slots = Array.from(
    { length: count },
    (_, index) => new WorkerSlot({ name: String(index + 1), rule, onEnd }),
  );
  listen(options, slots, metrics);
  onStopSignal((signal) => {
    logger.info({ signal }, `${name}: the worker processes are told to stop`);
    stop(0);
  });
  logger.info({ workers: count }, `${name}: starts its worker processes`);
  for (const slot of slots) slot.start();
}

/** Hears what worker processes say. */
function listen(
  { name, logger }: SuperviseWorkersOptions,
  slots: readonly WorkerSlot[],
  metrics: Metrics,
): void {
  metrics.gauge('millrace_workers', 'Worker processes, by state', () =>
    (['starting', 'ready', 'waiting', 'ended'] as const).map((state) => [
      slots.filter((slot) => slot.state === state).length,
      { state },
    ]),
  );
  const workers = () =>
    new Map(slots.flatMap((slot) => (slot.worker === undefined ? [] : [[slot.name, slot.worker]])));
  const gather = new GatherMetrics({ metrics, logger, workers });
  cluster.on('message', (worker: Worker, message: MessageToSupervisor) => {
    gather.take(worker, message);
    if (message.kind !== 'ready') return;
    slots.find((slot) => slot.worker === worker)?.isReady();
    if (slots.every(({ state }) => state === 'ready'))
      logger.info({ workers: slots.length }, `${name}: all worker processes are ready`);
  });
}

/** How to stop all and exit: the first call decides on the code when all goes well, a second one kills what is left. */
function stopOnce(
  { name, logger, shutdownMilliseconds }: SuperviseWorkersOptions,
  slots: () => readonly WorkerSlot[],
): (code: number) => void {
  let isStopping = false;
  return (code) => {
    if (isStopping) {
      for (const slot of slots()) slot.kill();
      process.exit(1);
    }
    isStopping = true;
    const limit = shutdownMilliseconds + MARGIN_MILLISECONDS;
    const ended = Promise.all(slots().map((slot) => slot.stop()));
    withDeadline(ended, limit, `${name}: worker processes did not stop within ${limit} ms`).then(
      (codes) => {
        const failed = codes.filter((one) => one !== 0).length;
        logger.info({ workers: codes.length, failed }, `${name}: all worker processes have stopped`);
        process.exit(code === 0 && failed > 0 ? 1 : code);
      },
      (error: unknown) => {
        if (!(error instanceof TimeoutError)) throw error;
        logger.error({ error }, `${name}: worker processes are ended`);
        for (const slot of slots()) slot.kill();
        process.exit(1);
      },
    );
  };
}
