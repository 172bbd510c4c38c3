import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { legacyKeyBytes } from './legacy-key';

const KEY_BYTES = 32;
const VERSION = 0x80;
const HEADER_BYTES = 9;
const VECTOR_BYTES = 16;
const TAG_BYTES = 32;
/** A shorter secret is hashed, a longer one is a key in base64. */
const HASHED_BELOW_CHARACTERS = 32;
/** Every token begins with the version and the first bytes of a time in this century. */
const TOKEN = /^gAAAAA[A-Za-z0-9_-]*={0,2}$/;

/** Whether a stored text has the form of a Fernet token. */
export function isFernetToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Decrypts what a Langflow encrypted with its secret key: Fernet tokens (AES-128-CBC with HMAC-SHA-256). */
export class LangflowSecrets {
  readonly #keys: readonly Buffer[];

  /** `secretKey` is LANGFLOW_SECRET_KEY. A secret that cannot be a key decrypts nothing. */
  constructor(secretKey: string) {
    this.#keys =
      secretKey.length < HASHED_BELOW_CHARACTERS
        ? [createHash('sha256').update(secretKey).digest(), legacyKeyBytes(secretKey)]
        : [decodeUrlSafe(secretKey)].filter(({ length }) => length === KEY_BYTES);
  }

  /** Returns the text of a token, and a text that is no token unchanged; undefined when no key decrypts it. */
  read(stored: string): string | undefined {
    if (!isFernetToken(stored)) return stored;
    const token = decodeUrlSafe(stored);
    for (const key of this.#keys) {
      const text = decrypt(token, key);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function decrypt(token: Buffer, key: Buffer): string | undefined {
  if (token.length < HEADER_BYTES + VECTOR_BYTES + TAG_BYTES || token[0] !== VERSION) return undefined;
  const signed = token.subarray(0, -TAG_BYTES);
  const tag = createHmac('sha256', key.subarray(0, KEY_BYTES / 2))
    .update(signed)
    .digest();
  if (!timingSafeEqual(tag, token.subarray(-TAG_BYTES))) return undefined;
  const vector = signed.subarray(HEADER_BYTES, HEADER_BYTES + VECTOR_BYTES);
  const decipher = createDecipheriv('aes-128-cbc', key.subarray(KEY_BYTES / 2), vector);
  return Buffer.concat([
    decipher.update(signed.subarray(HEADER_BYTES + VECTOR_BYTES)),
    decipher.final(),
  ]).toString();
}

function decodeUrlSafe(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
}
