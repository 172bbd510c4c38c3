import type { KeyValueStore } from '@millrace/key-value';
import type { ShareRunLimits } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { placesKey } from './request-limits';

/** Longer than the pause between two rounds of the backlog. */
const NOTED_MILLISECONDS = 10_000;

export interface RunLimitShareOptions {
  readonly keyValue: Pick<KeyValueStore, 'batch'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Returns what shares the limits of concurrent runs between background runs and those whose callers wait. While the key-value store is
 * away, background runs get the whole limit.
 */
export function shareRunLimits({ keyValue, logger }: RunLimitShareOptions): ShareRunLimits {
  let isAway = false;
  return async (uses, phase) => {
    const places = uses.map(({ scope, id, userId, maximum, used, isWaiting }) => {
      const wanted = phase === 'ask' && isWaiting ? maximum : 0;
      return {
        key: placesKey(userId, scope, id),
        maximum,
        used,
        wanted,
        isWaiting,
        ttlMilliseconds: NOTED_MILLISECONDS,
      };
    });
    if (places.length === 0) return [];
    try {
      const granted = await keyValue.batch(places.map((one) => ({ command: 'share', places: one })));
      isAway = false;
      return granted as number[];
    } catch (error) {
      if (!isAway) logger.warn({ error }, 'background runs do not share their limits: Redis does not count');
      isAway = true;
      return uses.map(({ maximum, used }) => Math.max(0, maximum - used));
    }
  };
}
