import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
/** How each encrypted text begins. */
export const ENCRYPTED_BEGIN = `${VERSION}.`;

/** A key is not 32 bytes, or a text was not encrypted with any of the keys. */
export class EncryptionError extends Error {
  readonly code = 'encryption_failed';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EncryptionError';
  }
}

interface Key {
  readonly id: string;
  readonly secret: Buffer;
}

/**
 * AES-256-GCM with a random nonce. The ciphertext contains the id of its key, so that keys can be rotated: put the new
 * key first and keep the old ones after it.
 */
export class Encryption {
  readonly #keys: ReadonlyMap<string, Key>;
  readonly #first: Key;

  private constructor(first: Key, rest: readonly Key[]) {
    this.#first = first;
    this.#keys = new Map([first, ...rest].map((key) => [key.id, key]));
  }

  /** Reads keys of 32 bytes in base64 or hexadecimal. The first encrypts, all decrypt. */
  static from(keys: readonly string[]): Encryption {
    const [first, ...rest] = keys.map(readKey);
    if (first === undefined) throw new EncryptionError('no encryption key is configured');
    return new Encryption(first, rest);
  }

  /** The ids of all keys, the first one in front. Eight characters each, not secret. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  encrypt(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#first.secret, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(this.#first.id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.#first.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Returns the id of the first key and a signature by it, each in base64url. Each purpose has a key of its own. */
  sign(purpose: string, text: string): string {
    return `${this.#first.id}.${signature(this.#first, purpose, text).toString('base64url')}`;
  }

  /** Whether one of the keys has signed the text for this purpose. */
  isSigned(purpose: string, text: string, signed: string): boolean {
    const [keyId = '', mac = ''] = signed.split('.');
    const key = this.#keys.get(keyId);
    if (key === undefined) return false;
    const [expected, given] = [signature(key, purpose, text), Buffer.from(mac, 'base64url')];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** Whether the value, or a text that begins like it, was encrypted with the first key. */
  isEncryptedWithFirstKey(encrypted: string): boolean {
    return Encryption.keyIdOf(encrypted) === this.#first.id;
  }

  /** Returns the id of the key that encrypted this value; its beginning is enough. Eight characters, not secret. */
  static keyIdOf(encrypted: string): string {
    return encrypted.split('.')[1] ?? '';
  }

  /** Whether one of the keys decrypts the value. */
  canDecrypt(encrypted: string): boolean {
    return this.tryDecrypt(encrypted) !== null;
  }

  /** Returns the decrypted text; null when none of the keys decrypts the value. */
  tryDecrypt(encrypted: string): string | null {
    try {
      return this.decrypt(encrypted);
    } catch (error) {
      if (error instanceof EncryptionError) return null;
      throw error;
    }
  }

  /** Throws EncryptionError when the key is not configured or the ciphertext was changed. */
  decrypt(encrypted: string): string {
    const [version, keyId = '', nonce = '', sealed = ''] = encrypted.split('.');
    const key = this.#keys.get(keyId);
    if (version !== VERSION || key === undefined) {
      throw new EncryptionError('the value was encrypted with a key that is not configured');
    }
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < TAG_BYTES) throw new EncryptionError('the encrypted value is damaged');
    try {
      const decipher = createDecipheriv(ALGORITHM, key.secret, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(key.id));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString();
    } catch (error) {
      throw new EncryptionError('the encrypted value is damaged', error);
    }
  }
}

function signature({ secret }: Key, purpose: string, text: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `millrace ${purpose}`, KEY_BYTES));
  return createHmac('sha256', key).update(text).digest();
}

function readKey(text: string, index: number): Key {
  const trimmed = text.trim();
  const secret = /^[0-9a-f]{64}$/iu.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : Buffer.from(trimmed.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
  if (secret.length !== KEY_BYTES) {
    throw new EncryptionError(`encryption key ${index + 1} is not 32 bytes of base64 or hexadecimal`);
  }
  return {
    id: createHash('sha256').update('millrace key id').update(secret).digest('hex').slice(0, 8),
    secret,
  };
}
