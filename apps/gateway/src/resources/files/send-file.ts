import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpError } from '@millrace/http';
import type { FileRecord, FileStore } from '@millrace/runs';
import { sendJson } from '../../http/answers/send-json';

/** Even a browser that shows a download in spite of its headers runs nothing of it. */
export const DOWNLOAD_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Answers with a file's bytes, one chunk in memory at a time, with backpressure. */
export async function sendFile(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
): Promise<void> {
  await send(response, files, file, {
    // Never a type that a browser would display or execute.
    'content-type': 'application/octet-stream',
    'content-disposition': attachment(file.name + file.extension),
    'content-security-policy': DOWNLOAD_POLICY,
  });
}

const MAXIMUM_TEXT_BYTES = 16 * 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Answers with a file's text as a JSON string. Throws invalid_value for a file that is no UTF-8, or has more than 16 MiB. */
export async function sendText(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
): Promise<void> {
  if (Number(file.sizeBytes) > MAXIMUM_TEXT_BYTES)
    throw new HttpError('invalid_value', 'The file is too large for return_content; download it without.');
  const parts: Buffer[] = [];
  for await (const part of files.content(file)) parts.push(part);
  let text: string;
  try {
    text = utf8.decode(Buffer.concat(parts));
  } catch {
    throw new HttpError('invalid_value', 'Error reading file: Invalid file encoding');
  }
  sendJson(response, 200, text);
}

/** Answers with an image that a browser can display. The headers forbid everything else. */
export async function sendImage(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
  contentType: string,
): Promise<void> {
  await send(response, files, file, {
    'content-type': contentType,
    // A page that shows the image ignores it; opened by its address it is saved, not displayed.
    'content-disposition': 'attachment',
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  });
}

async function send(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const content = files.content(file);
  // Before the status, so that a store that is not available gets the status of its error.
  const first = await content.next();
  response.writeHead(200, { ...headers, 'content-length': file.sizeBytes });
  try {
    await pipeline(Readable.from(beginning(first, content)), response);
  } catch (error) {
    // A caller who disconnected needs no answer. Any other error aborts the answer.
    if (!response.destroyed || response.errored) throw error;
  }
}

async function* beginning(
  first: IteratorResult<Buffer>,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}

/** Returns the Content-Disposition header of a file: its name in ASCII for old clients, and complete. */
export function attachment(name: string): string {
  // eslint-disable-next-line no-control-regex
  const safe = name.replaceAll(/[\x00-\x1f\x7f]/g, '_');
  const plain = safe.replaceAll(/[^\x20-\x7E]/gu, '?').replaceAll(/["\\]/g, '\\$&');
  const whole = encodeURIComponent(safe).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
