import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { FileBytes } from '@millrace/access';
import { bodyTooLarge, HttpError } from '@millrace/http';
import { missing } from '../../http/validation/validation-items';
import { invalidRequest } from '../../http/validation/validator';

const FIELD = 'file';
const MAXIMUM_PARTS = 100;
const MAXIMUM_FIELD_BYTES = 65_536;
/** Allowance for the rest of a form: boundaries, headers, other fields. */
const FORM_BYTES = 1_048_576;
/** How many bytes of a file arrive between two counts of them. */
const COUNTED_BYTES = 1_048_576;

export interface UploadOptions<Result> {
  readonly maximumBytes: number;
  /** Counts the bytes of the file while they arrive; its error refuses the file. */
  readonly counted: FileBytes;
  /** Stores the file while it arrives. The name is as given, also with separators. `content` throws when the file is incomplete or too large. */
  store(fileName: string, content: AsyncIterable<Buffer>): Promise<Result>;
}

/**
 * Streams the part named `file` of a form to `store`, with backpressure. Further files are ignored. Throws
 * invalid_request for a missing part, body_too_large, undecodable_body, and the errors of `store`.
 */
export async function receiveUpload<Result>(
  request: IncomingMessage,
  { maximumBytes, counted, store }: UploadOptions<Result>,
): Promise<Result> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maximumBytes + FORM_BYTES) throw bodyTooLarge(declared, maximumBytes);
  const parser = openParser(request, maximumBytes);
  let work: Promise<Result> | null = null;
  const parsed = new Promise<void>((resolve, reject) => {
    let file: BusboyFileStream | null = null;
    parser.on('file', (name: string | undefined, stream, filename: string | undefined) => {
      // An incomplete form is also reported as an error of the parser.
      stream.on('error', () => undefined);
      if (name !== FIELD || work !== null) return void stream.resume();
      file = stream;
      work = store(filename ?? '', withinLimit(stream, maximumBytes, counted));
      // A failure to store is answered at once, not when the last byte has arrived.
      work.catch((error: unknown) => {
        counted.giveBack();
        reject(error as Error);
      });
    });
    parser.on('error', (error) => {
      // A destroyed parser leaves the file stream open, so `store` would wait for it.
      file?.destroy(error as Error);
      reject(undecodable(error));
    });
    parser.on('finish', () => resolve());
    request.once('close', () => {
      if (!request.complete) parser.destroy(new Error('the caller disconnected'));
    });
  });
  request.pipe(parser);
  try {
    await parsed;
    if (work === null) throw invalidRequest([missing(['body', FIELD], null)]);
    return await work;
  } catch (error) {
    // The rest of the body is read and dropped, so that the caller receives the answer.
    request.unpipe(parser).resume();
    throw error;
  }
}

function openParser(request: IncomingMessage, maximumBytes: number): BusboyInstance {
  // A body that is not a form has no part named `file`.
  if (!/^multipart\/form-data/i.test(request.headers['content-type'] ?? '')) {
    request.resume();
    throw invalidRequest([missing(['body', FIELD], null)]);
  }
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      // Each route decides what becomes of a name with separators.
      preservePath: true,
      limits: { fileSize: maximumBytes, fieldSize: MAXIMUM_FIELD_BYTES, parts: MAXIMUM_PARTS },
    });
  } catch (error) {
    throw undecodable(error);
  }
}

function withinLimit(
  stream: BusboyFileStream,
  maximumBytes: number,
  counted: FileBytes,
): AsyncIterable<Buffer> {
  // The stream can fail before it is read.
  let failure: Error | null = null;
  stream.on('error', (error) => (failure = error));
  return (async function* () {
    let bytes = 0;
    try {
      if (failure) throw failure;
      for await (const chunk of stream) {
        bytes += (chunk as Buffer).length;
        if (bytes >= COUNTED_BYTES) {
          await counted.add(bytes);
          bytes = 0;
        }
        yield chunk as Buffer;
      }
    } catch (error) {
      throw error instanceof HttpError ? error : undecodable(error);
    }
    if (stream.truncated) throw bodyTooLarge(maximumBytes + 1, maximumBytes);
    if (bytes > 0) await counted.add(bytes);
  })();
}

function undecodable(cause: unknown): HttpError {
  return new HttpError('undecodable_body', 'There was an error parsing the body', { cause });
}
