import { fixedLimits, startWatchdog, watchMemory } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ExecutorSettings } from './settings';

/** The guards of an executor process. */
export interface ProcessGuards {
  close(): Promise<void>;
}

/** Ends the process at once when its event loop is blocked, and gracefully when it exceeds its memory ceiling. */
export function guardProcess(
  settings: Pick<ExecutorSettings, 'MILLRACE_MAXIMUM_MEMORY_BYTES'>,
  logger: Logger,
): ProcessGuards {
  const ceiling = settings.MILLRACE_MAXIMUM_MEMORY_BYTES;
  const watchdog = startWatchdog({
    name: 'executor',
    limitMilliseconds: fixedLimits.watchdogMilliseconds,
  });
  // The same signal with which a supervisor stops the process.
  const onPassed = () => void process.kill(process.pid, 'SIGTERM');
  const stopWatching = ceiling === 0 ? null : watchMemory({ logger, ceiling, onPassed });
  return {
    async close() {
      stopWatching?.();
      await watchdog.close();
    },
  };
}
