/** Bytes of a file in one row. Uploads and downloads hold one chunk in memory at a time. */
export const CHUNK_BYTES = 262_144;

/** Splits the bytes into chunks of CHUNK_BYTES; the last one can be shorter, and none is empty. */
export async function* toChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = [];
  let size = 0;
  for await (const part of content) {
    let rest = part;
    while (size + rest.length >= CHUNK_BYTES) {
      const taken = CHUNK_BYTES - size;
      yield Buffer.concat([...buffered, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      buffered = [];
      size = 0;
    }
    if (rest.length === 0) continue;
    buffered.push(rest);
    size += rest.length;
  }
  if (size > 0) yield Buffer.concat(buffered);
}
