import { DatabaseUnavailableError } from '@millrace/database';
import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';

/**
 * Repeats a commit while the database is away, for at most `patienceMilliseconds`; other errors pass at once. Work
 * that has been done is worth waiting for; past the patience the broker gives it to somebody else.
 */
export async function patientCommit<T>(
  options: { readonly patienceMilliseconds: number; readonly logger: Logger; readonly what: string },
  commit: () => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + options.patienceMilliseconds;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() >= giveUpAt) throw error;
      options.logger.warn({ error, attempt }, `${options.what} waits for the database`);
      const pause = backoff({
        initialMilliseconds: 100,
        maximumMilliseconds: 2_000,
        attempt,
        random: Math.random,
      });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
