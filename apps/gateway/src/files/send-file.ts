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
  response.writeHead(200, {
    // Never a type that a browser would show or run.
    'content-type': 'application/octet-stream',
    'content-length': file.sizeBytes,
    'content-disposition': attachment(file.name + file.extension),
  });
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
