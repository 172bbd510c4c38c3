/** How much of a file one row holds: what an upload or a download keeps in memory at a time. */
export const CHUNK_BYTES = 262_144;

/** The same bytes in chunks of CHUNK_BYTES; the last one may be shorter, and none is empty. */
export async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const part of content) {
    let rest = part;
    while (size + rest.length >= CHUNK_BYTES) {
      const taken = CHUNK_BYTES - size;
      yield Buffer.concat([...waiting, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      waiting = [];
      size = 0;
    }
    if (rest.length === 0) continue;
    waiting.push(rest);
    size += rest.length;
  }
  if (size > 0) yield Buffer.concat(waiting);
}
