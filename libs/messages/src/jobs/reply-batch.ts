import type { ReplyType } from './reply';

/** One reply of a batch: what would be the properties and the body of its own message. */
export interface BatchedReply {
  readonly type: ReplyType;
  /** The run of the reply. */
  readonly correlationId: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

type IndexEntry = readonly [
  type: BatchedReply['type'],
  correlationId: string,
  headers: Readonly<Record<string, unknown>>,
  bytes: number,
];

const LENGTH_BYTES = 4;

/**
 * Writes replies as the body of a `batch` message: the length of the index in bytes (unsigned, 32 bits, big-endian), the
 * index as JSON (for each reply its type, run id, headers, and bytes of its body), then the bodies, in the same order.
 */
export function writeReplyBatch(replies: readonly BatchedReply[]): Buffer {
  const index = Buffer.from(
    JSON.stringify(
      replies.map(({ type, correlationId, headers, body }): IndexEntry => [
        type,
        correlationId,
        headers,
        body.length,
      ]),
    ),
  );
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32BE(index.length);
  return Buffer.concat([length, index, ...replies.map(({ body }) => body)]);
}

/**
 * Reads the body of a `batch` message. The bodies of the replies share its memory. Throws when the body is not a whole
 * batch.
 */
export function readReplyBatch(batch: Buffer): BatchedReply[] {
  let at = LENGTH_BYTES + batch.readUInt32BE(0);
  const index = JSON.parse(batch.toString('utf8', LENGTH_BYTES, at)) as readonly IndexEntry[];
  const replies = index.map(([type, correlationId, headers, bytes]) => {
    const body = batch.subarray(at, at + bytes);
    at += bytes;
    return { type, correlationId, headers, body };
  });
  if (at !== batch.length) throw new RangeError(`A batch of ${batch.length} bytes names ${at} bytes.`);
  return replies;
}
