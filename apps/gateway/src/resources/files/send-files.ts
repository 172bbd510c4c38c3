import type { ServerResponse } from 'node:http';
import { HttpError } from '@millrace/http';
import type { FileRecord, FileStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { attachment, DOWNLOAD_POLICY } from './send-file';
import { archiveStamp } from '../../zip/archive-stamp';
import { writeZip } from '../../zip/write-zip';

/** An archive is created in memory. */
const MAXIMUM_BYTES = 67_108_864;

/** Answers with the files as one ZIP archive. Throws invalid_value when their total size is too large. */
export async function sendFiles(
  response: ServerResponse,
  files: Pick<FileStore, 'content'>,
  wanted: readonly FileRecord[],
): Promise<void> {
  const bytes = wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAXIMUM_BYTES)
    throw new HttpError('invalid_value', `An archive can contain at most ${MAXIMUM_BYTES} bytes of files.`);
  const members: { readonly name: string; readonly content: Buffer }[] = [];
  for (const file of wanted) {
    const parts: Buffer[] = [];
    for await (const part of files.content(file)) parts.push(part);
    // The names of a user's files are unique.
    members.push({ name: file.name + file.extension, content: Buffer.concat(parts) });
  }
  const archive = writeZip(members, { compress: false });
  response.writeHead(200, {
    'content-type': 'application/x-zip-compressed',
    'content-length': archive.length,
    'content-disposition': attachment(`${archiveStamp(new Date(machineTime()))}_langflow_files.zip`),
    'content-security-policy': DOWNLOAD_POLICY,
  });
  response.end(archive);
}
