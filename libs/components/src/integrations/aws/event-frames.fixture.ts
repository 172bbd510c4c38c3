import { crc32 } from 'node:zlib';

/** Returns a message of an AWS event stream with texts as headers and JSON as payload. */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [
      Buffer.from([Buffer.byteLength(name)]),
      Buffer.from(name),
      Buffer.from([7, Buffer.byteLength(value) >> 8, Buffer.byteLength(value) & 255]),
      Buffer.from(value),
    ]),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, head, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, end]);
}
