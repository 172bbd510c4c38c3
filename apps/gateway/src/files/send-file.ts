import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileRecord, FileStore } from '@millrace/runs';

/** Answers with a file's bytes, a chunk in memory at a time, as fast as the caller takes them. */
export async function sendFile(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
): Promise<void> {
  await send(response, files, file, {
    // Never a type that a browser would show or run.
    'content-type': 'application/octet-stream',
    'content-disposition': attachment(file.name + file.extension),
  });
}

/** Answers with a picture that a browser may show, and nothing else. */
export async function sendImage(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  file: FileRecord,
  contentType: string,
): Promise<void> {
  await send(response, files, file, {
    'content-type': contentType,
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
  response.writeHead(200, { ...headers, 'content-length': file.sizeBytes });
  try {
    await pipeline(Readable.from(files.content(file)), response);
  } catch (error) {
    // A caller who left needs no answer; anything else cuts the answer off.
    if (!response.destroyed || response.errored) throw error;
  }
}

/** The header that names a file: in ASCII for old clients, and whole. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7E]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
