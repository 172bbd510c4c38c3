import cluster from 'node:cluster';

/** A terminal sends Ctrl-C to all processes of a command, and npm forwards it to its child once more. */
const REPEATED_WITHIN_MILLISECONDS = 1_000;

/**
 * Calls `stop` for SIGTERM and SIGINT, and when the process that started this one with a channel ended without a signal. A signal
 * within a second after another one counts as its repetition.
 */
export function onStopSignal(stop: (signal: string) => void): void {
  let lastSignalAt = -Infinity;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (performance.now() - lastSignalAt < REPEATED_WITHIN_MILLISECONDS) return;
      lastSignalAt = performance.now();
      stop(signal);
    });
  // A worker follows its supervisor on its own.
  if (cluster.isPrimary)
    process.on('disconnect', () => {
      if (lastSignalAt !== -Infinity) return;
      lastSignalAt = performance.now();
      stop('parent lost');
    });
}
