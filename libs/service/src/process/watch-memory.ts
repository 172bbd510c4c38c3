import type { Logger } from '../logging/logger';

const CHECK_MILLISECONDS = 1_000;

export interface WatchMemoryOptions {
  readonly logger: Logger;
  /** Maximum resident memory in bytes. */
  readonly ceiling: number;
  /** Called once, when the ceiling is exceeded. */
  onPassed(): void;
}

/** Checks the memory of this process every second until it exceeds the ceiling; returns the function that stops it. */
export function watchMemory({ logger, ceiling, onPassed }: WatchMemoryOptions): () => void {
  const timer = setInterval(() => {
    const residentBytes = process.memoryUsage.rss();
    if (residentBytes <= ceiling) return;
    clearInterval(timer);
    logger.warn({ residentBytes, ceiling }, 'memory ceiling exceeded; draining and exiting');
    onPassed();
  }, CHECK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
