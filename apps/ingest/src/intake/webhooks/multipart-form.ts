import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import { HttpError, refuseUnstorable } from '@millrace/http';

const MULTIPART = /^multipart\/form-data\s*;/i;
const MAXIMUM_FILES = 20;
const MAXIMUM_NAME_BYTES = 1_000;
const BROKEN = 'The form is not valid multipart/form-data.';

/** Returns whether the body of a request is a form of parts. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return MULTIPART.test(headers['content-type'] ?? '');
}

export interface FilePart {
  readonly field: string;
  /** As the sender named it; empty when it did not. */
  readonly fileName: string;
  readonly mediaType: string;
  /** Parts of the body, not copied. */
  readonly chunks: readonly Buffer[];
  readonly sizeBytes: number;
}

export interface MultipartForm {
  /** Names and texts in their order; a name can repeat. */
  readonly fields: readonly (readonly [name: string, text: string])[];
  readonly files: readonly FilePart[];
}

/**
 * Resolves to the parts of a form. A part with a file name, or of type application/octet-stream, is a file; one without a
 * name and content, as browsers send for an empty field, is left out. Rejects with undecodable_body, invalid_value for a NUL
 * character, and body_too_large for too many parts.
 */
export function readMultipartForm(
  { headers }: IncomingMessage,
  body: Buffer,
  { maximumFields }: { readonly maximumFields: number },
): Promise<MultipartForm> {
  const fields: (readonly [string, string])[] = [];
  const files: FilePart[] = [];
  return new Promise((resolve, reject) => {
    const parser = openParser(headers['content-type'] ?? '', body.length, maximumFields);
    const refuse = (error: HttpError) => {
      parser.destroy();
      reject(error);
    };
    parser.on('field', (name: string, text: string, isNameCut: boolean) => {
      if (isNameCut) return refuse(new HttpError('invalid_value', 'The name of a field is too long.'));
      try {
        refuseUnstorable(name + text);
      } catch (error) {
        return refuse(error as HttpError);
      }
      fields.push([name, text]);
    });
    parser.on(
      'file',
      (field: string, stream: BusboyFileStream, fileName: string | undefined, _encoding, type) => {
        const chunks: Buffer[] = [];
        let sizeBytes = 0;
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          sizeBytes += chunk.length;
        });
        // An incomplete form is also reported as an error of the parser.
        stream.on('error', () => undefined);
        stream.on('end', () => {
          if (sizeBytes > 0 || (fileName ?? '') !== '')
            files.push({ field, fileName: fileName ?? '', mediaType: type, chunks, sizeBytes });
        });
      },
    );
    parser.on('fieldsLimit', () =>
      refuse(new HttpError('body_too_large', `The body has more than ${maximumFields} members.`)),
    );
    parser.on('filesLimit', () =>
      refuse(new HttpError('body_too_large', `The form has more than ${MAXIMUM_FILES} files.`)),
    );
    parser.on('error', (cause) => refuse(new HttpError('undecodable_body', BROKEN, { cause })));
    parser.on('finish', () => resolve({ fields, files }));
    parser.end(body);
  });
}

function openParser(contentType: string, bodyBytes: number, maximumFields: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: MAXIMUM_NAME_BYTES,
        fieldSize: bodyBytes,
        fields: maximumFields,
        files: MAXIMUM_FILES,
      },
    });
  } catch (cause) {
    throw new HttpError('undecodable_body', BROKEN, { cause });
  }
}
