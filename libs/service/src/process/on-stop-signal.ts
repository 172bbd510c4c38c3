/** A terminal sends Ctrl-C to all processes of a command at once, and npm passes it on to its child once more. */
const REPEATED_WITHIN_MILLISECONDS = 1_000;

/** Calls back for SIGTERM and SIGINT. A signal that follows another one within a second is the same one, repeated. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let heard = -Infinity;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (performance.now() - heard < REPEATED_WITHIN_MILLISECONDS) return;
      heard = performance.now();
      stop(signal);
    });
}
