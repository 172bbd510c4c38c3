import { machineTime, parseSecretStore } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { SecretFolder } from './secret-folder';
import { SecretStoreUnavailableError } from './secret-store';
import type { Secrets, SecretSource } from './secret-store';
import { VaultSecrets } from './vault-secrets';

/** A changed secret counts after this time. */
const FRESH_MILLISECONDS = 30_000;
/** While the store does not answer, what it answered last counts for this time. */
const STALE_MILLISECONDS = 300_000;
/** After a failure the store is asked nothing for a user for this time, and up to half of it more. */
const PAUSE_MILLISECONDS = 2_000;
const MAXIMUM_CACHED_CHARACTERS = 33_554_432;
/** So that a user without secrets takes room. */
const ENTRY_CHARACTERS = 200;
/** Of users; further ones get an error at once. */
const MAXIMUM_READS = 100;
const NAME = /^\w[\w.-]{0,127}$/;

interface Known {
  readonly secrets: Secrets;
  readonly readAt: number;
  /** Nothing is read before, on this machine's clock. */
  nextRead: number;
}

export interface OutsideSecretsOptions {
  readonly source: SecretSource;
  readonly logger: Logger;
  readonly reads: Counter;
  /** This machine's clock unless given. */
  readonly now?: () => number;
}

/**
 * The secrets that users have outside of Millrace, each user those of the own id. They are kept in the memory of this process alone, up to 32 Mi
 * characters of them, and read again when they are used after 30 s.
 */
export class OutsideSecrets {
  readonly #options: OutsideSecretsOptions;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Known>({
    maxSize: MAXIMUM_CACHED_CHARACTERS,
    sizeCalculation: ({ secrets }) =>
      [...secrets].reduce((sum, [name, value]) => sum + name.length + (value?.length ?? 0), ENTRY_CHARACTERS),
  });
  /** Users whose secrets could not be read, and none are known. */
  readonly #failed = new LRUCache<string, { readonly until: number; readonly error: Error }>({ max: 1_000 });
  readonly #reading = new Map<string, Promise<Secrets>>();

  constructor(options: OutsideSecretsOptions) {
    this.#options = options;
    this.#now = options.now ?? machineTime;
  }

  /** Returns a secret of a user; undefined where there is none of this name. Rejects with SecretStoreUnavailableError. */
  async find(userId: string, name: string): Promise<string | undefined> {
    if (!NAME.test(name)) return undefined;
    const found = (await this.#secretsOf(userId)).get(name);
    if (found === null) throw new SecretStoreUnavailableError(`The secret ${name} of the store is no text.`);
    return found;
  }

  /** Returns the names that a user has. Rejects as `find`. */
  async names(userId: string): Promise<readonly string[]> {
    return [...(await this.#secretsOf(userId)).keys()].filter((name) => NAME.test(name));
  }

  close(): Promise<void> {
    return this.#options.source.close();
  }

  async #secretsOf(userId: string): Promise<Secrets> {
    const known = this.#known.get(userId);
    const now = this.#now();
    if (known !== undefined && now < known.nextRead) return known.secrets;
    const failed = this.#failed.get(userId);
    if (failed !== undefined && now < failed.until) throw failed.error;
    let reading = this.#reading.get(userId);
    if (reading === undefined) {
      reading = this.#read(userId, known).finally(() => this.#reading.delete(userId));
      this.#reading.set(userId, reading);
    }
    return reading;
  }

  async #read(userId: string, known: Known | undefined): Promise<Secrets> {
    const { source, reads } = this.#options;
    try {
      if (this.#reading.size >= MAXIMUM_READS) throw new Error(`${MAXIMUM_READS} users wait for the store`);
      const secrets = await source.read(userId);
      const now = this.#now();
      this.#known.set(userId, { secrets, readAt: now, nextRead: now + FRESH_MILLISECONDS });
      this.#failed.delete(userId);
      reads.add(1, { outcome: 'read' });
      return secrets;
    } catch (error) {
      return this.#secretsAfter(error, userId, known);
    }
  }

  /** Returns what is known of before, for a while. */
  #secretsAfter(cause: unknown, userId: string, known: Known | undefined): Secrets {
    const { logger, reads } = this.#options;
    reads.add(1, { outcome: 'failed' });
    const now = this.#now();
    const until = now + PAUSE_MILLISECONDS * (1 + Math.random() / 2);
    const isUsable = known !== undefined && now - known.readAt < STALE_MILLISECONDS;
    logger.warn(
      { error: cause, userId, isUsable },
      'the secrets of a user could not be read from their store',
    );
    if (isUsable) {
      known.nextRead = until;
      return known.secrets;
    }
    const error = new SecretStoreUnavailableError('The store of secrets does not answer.', cause);
    this.#failed.set(userId, { until, error });
    throw error;
  }
}

/** Opens the store that a setting names; null where none is set. */
export function openOutsideSecrets({
  setting,
  logger,
  metrics,
}: {
  /** The value of MILLRACE_SECRET_STORE. */
  readonly setting: string | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): OutsideSecrets | null {
  const reads = metrics.counter(
    'millrace_secret_reads_total',
    'Reads of the secrets of a user from the store outside, by outcome',
    { labels: { outcome: ['read', 'failed'] } },
  );
  if (setting === undefined) return null;
  const settings = parseSecretStore(setting);
  const source = 'folder' in settings ? new SecretFolder(settings.folder) : new VaultSecrets(settings.vault);
  return new OutsideSecrets({ source, logger, reads });
}
