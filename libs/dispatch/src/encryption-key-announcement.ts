import type { KeyValueStore } from '@millrace/key-value';

const PREFIX = 'encryption-keys:';
const INTERVAL_MILLISECONDS = 5_000;
const TTL_MILLISECONDS = 20_000;
const MAXIMUM_PROCESSES = 10_000;

/** A process of a service, and the ids of the encryption keys that it has. */
export interface AnnouncedKeys {
  /** Service and instance, such as `gateway-1f2e3d`. */
  readonly process: string;
  /** Not secret: see Encryption.keyIds. */
  readonly keys: readonly string[];
}

export interface EncryptionKeyAnnouncementOptions extends AnnouncedKeys {
  readonly keyValue: Pick<KeyValueStore, 'set' | 'delete'>;
}

/**
 * Announces in the key-value store which encryption keys a process has, for a rotation that has to wait for all processes.
 * The entry expires unless it is renewed.
 */
export class EncryptionKeyAnnouncement {
  readonly #options: EncryptionKeyAnnouncementOptions;
  readonly #timer: NodeJS.Timeout;

  private constructor(options: EncryptionKeyAnnouncementOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#write(), INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  /** Resolves when the first announcement has been written or has failed. */
  static async open(options: EncryptionKeyAnnouncementOptions): Promise<EncryptionKeyAnnouncement> {
    const announcement = new EncryptionKeyAnnouncement(options);
    await announcement.#write();
    return announcement;
  }

  /** Removes the announcement. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const { keyValue, process } = this.#options;
    await keyValue.delete([`${PREFIX}${process}`]).catch(() => undefined);
  }

  /** Never rejects: the health of the store is checked and logged elsewhere, and the next interval writes again. */
  async #write(): Promise<void> {
    const { keyValue, process, keys } = this.#options;
    await keyValue
      .set(`${PREFIX}${process}`, JSON.stringify({ process, keys }), { ttlMilliseconds: TTL_MILLISECONDS })
      .catch(() => undefined);
  }
}

/** Resolves to what all processes announce. Rejects when the key-value store is unavailable. */
export async function announcedEncryptionKeys(
  keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>,
): Promise<AnnouncedKeys[]> {
  const found = await keyValue.keys(PREFIX, MAXIMUM_PROCESSES);
  const texts = found.length === 0 ? [] : await keyValue.getMany(found);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as AnnouncedKeys]));
}
