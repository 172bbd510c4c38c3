import { createHash } from 'node:crypto';

/** The namespace of DNS names (RFC 9562). */
const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** Returns the UUID of version 5 of a name. */
export function namedUuid(name: string, namespace = DNS): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
