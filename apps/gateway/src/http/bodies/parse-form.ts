import { Busboy } from '@fastify/busboy';
import type { BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly content: Buffer;
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly FormFile[];
}

const MAXIMUM_PARTS = 100;

/** Parses a multipart body that is in memory, so its size is bounded. The last of fields with the same name counts. */
export function parseForm(request: IncomingMessage, body: Buffer): Promise<Form> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) =>
      reject(new HttpError('undecodable_body', 'There was an error parsing the body', { cause }));
    const fields = new Map<string, string>();
    const files: FormFile[] = [];
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { 'content-type': request.headers['content-type'] ?? '' },
        limits: { fieldSize: body.length, fileSize: body.length, parts: MAXIMUM_PARTS },
      });
    } catch (error) {
      refuse(error);
      return;
    }
    // A part without a name is ignored.
    parser.on('field', (name: string | undefined, value) => {
      if (name !== undefined) fields.set(name, value);
    });
    parser.on('file', (name: string | undefined, stream, filename: string | undefined) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', refuse);
      stream.on('end', () => {
        if (name !== undefined)
          files.push({ name, filename: filename ?? '', content: Buffer.concat(chunks) });
      });
    });
    parser.on('partsLimit', () => refuse(new Error(`The form has more than ${MAXIMUM_PARTS} parts.`)));
    parser.on('error', refuse);
    parser.on('finish', () => resolve({ fields, files }));
    parser.end(body);
  });
}
