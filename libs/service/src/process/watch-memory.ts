import type { Logger } from '../logging/logger';

const LOOK_MILLISECONDS = 1_000;

export interface WatchMemoryOptions {
  readonly logger: Logger;
  /** In bytes of resident memory. */
  readonly ceiling: number;
  /** Called once, when it has been passed. */
  onPassed(): void;
}

/** Looks at the memory of this process every second until it passes the ceiling; returns how to stop looking. */
export function watchMemory({ logger, ceiling, onPassed }: WatchMemoryOptions): () => void {
  const timer = setInterval(() => {
    const residentBytes = process.memoryUsage.rss();
    if (residentBytes <= ceiling) return;
    clearInterval(timer);
    logger.warn({ residentBytes, ceiling }, 'the process uses more memory than it is to use: it stops');
    onPassed();
  }, LOOK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
