import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import type { Logger } from '../../logging/logger';
import { createMetrics } from '../../metrics/create-metrics';
import type { Metrics } from '../../metrics/metrics';
import { TimeoutError, withDeadline } from '../../time/with-deadline';
import { onStopSignal } from '../on-stop-signal';
import { EXIT_CONFIGURATION } from '../exit-codes';
import { WorkerMetrics } from './worker-metrics';
import type { MessageToSupervisor } from './worker-messages';
import { WorkerSlot } from './worker-slot';
import type { RestartRule, WorkerEnd } from './worker-slot';

export interface SuperviseWorkersOptions {
  readonly name: string;
  readonly logger: Logger;
  readonly count: number;
  /** Maximum time for a worker process to stop. */
  readonly shutdownMilliseconds: number;
  readonly restarts?: RestartRule;
}

/** About 50 s of retries: longer than the restart of a server takes, and short enough for an operator. */
const defaultRestartRule: RestartRule = {
  initialMilliseconds: 250,
  maximumMilliseconds: 10_000,
  limit: 10,
  steadyMilliseconds: 10_000,
};
/** Time to stop in addition to the shutdown time of each process. */
const MARGIN_MILLISECONDS = 2_000;

/**
 * Makes this process the supervisor of `count` worker processes that run the same program and share its ports. It
 * starts them, replaces each that ends (with growing delays when they end soon), and forwards SIGTERM and SIGINT. It
 * exits with 0 when all have stopped cleanly; with 78 when a worker reports wrong settings; with 1 when a worker was
 * slow or failed to stop, or ended soon too many times in a row. A second signal kills all processes at once.
 */
export function superviseWorkers(options: SuperviseWorkersOptions): void {
  const { name, logger, count } = options;
  const rule = options.restarts ?? defaultRestartRule;
  const metrics = createMetrics();
  const restarts = metrics.counter(
    'millrace_worker_restarts_total',
    'Worker processes that were replaced after they ended',
  );
  const stop = createStop(options, () => slots);
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
  handleWorkerMessages(options, slots, metrics);
  onStopSignal((signal) => {
    logger.info({ signal }, `${name}: stopping the worker processes`);
    stop(0);
  });
  logger.info({ workers: count }, `${name}: starting the worker processes`);
  for (const slot of slots) slot.start();
}

/** Listens to messages of the worker processes. */
function handleWorkerMessages(
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
  const workerMetrics = new WorkerMetrics({ metrics, logger, workers });
  cluster.on('message', (worker: Worker, message: MessageToSupervisor) => {
    workerMetrics.handleMessage(worker, message);
    if (message.kind !== 'ready') return;
    slots.find((slot) => slot.worker === worker)?.markReady();
    if (slots.every(({ state }) => state === 'ready'))
      logger.info({ workers: slots.length }, `${name}: all worker processes are ready`);
  });
}

/** Returns the function that stops all and exits: the first call sets the exit code, a second call kills the rest. */
function createStop(
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
        logger.error({ error }, `${name}: killing the worker processes`);
        for (const slot of slots()) slot.kill();
        process.exit(1);
      },
    );
  };
}
