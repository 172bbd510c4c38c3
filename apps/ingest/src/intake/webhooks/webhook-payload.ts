import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, HttpError, refuseUnstorable, clientAddresses } from '@millrace/http';
import type { OpenBody } from '@millrace/http';
import { fileEvent, fileName } from '@millrace/runs';
import type { FlowReference, AuditActor, AuditLog, FileStore } from '@millrace/runs';
import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import type { Logger } from '@millrace/service';
import { decodeWebhookBody, decompressWebhookBody, jsonBody } from '../webhook-body';

export interface ReceivedBody {
  /** The bytes as they were sent. */
  readonly bytes: Buffer;
  readonly share: OpenBody;
  /** Stores the files of a form. */
  readonly files: Pick<WebhookFiles, 'store'>;
}

interface BodyLimits {
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
}

/**
 * Resolves to the text that a Webhook component of the flow receives. Rejects with HttpError for a body that is
 * refused.
 */
export async function webhookPayload(
  { settings }: FlowReference,
  request: IncomingMessage,
  { bytes, share, files }: ReceivedBody,
  limits: BodyLimits,
): Promise<string> {
  const { maximumBodyBytes: maximumBytes, maximumBodyMembers: maximumFields } = limits;
  const content = await decompressWebhookBody(request, bytes, { maximumBytes, share });
  const isObject = settings.webhook?.form === 'json';
  if (isObject && isMultipart(request))
    return payloadOfParts(await readMultipartForm(request, content, { maximumFields }), files, maximumBytes);
  const text = decodeWebhookBody(content, maximumFields);
  if (isObject && isForm(request)) return fieldsOfForm(text, { maximumFields, maximumBytes });
  return jsonBody(text, maximumBytes);
}

/** Resolves to the fields and the names of the stored files as the text of a JSON object. */
async function payloadOfParts(
  { fields, files: parts }: MultipartForm,
  files: Pick<WebhookFiles, 'store'>,
  maximumBytes: number,
): Promise<string> {
  // Checked before files are stored, since escapes make the text longer than the form.
  const size = Buffer.byteLength(JSON.stringify(objectOfFields(fields)));
  if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
  const members: (readonly [string, unknown])[] = [...fields];
  for (const part of parts) members.push([part.field, await files.store(part)]);
  return JSON.stringify(objectOfFields(members));
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Returns whether the body of a request is a form of URL-encoded fields. */
function isForm({ headers }: IncomingMessage): boolean {
  return FORM.test(headers['content-type'] ?? '');
}

interface FormLimits {
  readonly maximumFields: number;
  /** Maximum size of the JSON text. */
  readonly maximumBytes: number;
}

/**
 * Returns the fields of a form as the text of a JSON object, in their order: `a=1&b=2&a=3` is `{"a":["1","3"],"b":"2"}`.
 * All values are texts. Throws undecodable_body for an invalid escape, invalid_value for a NUL character, and
 * body_too_large.
 */
function fieldsOfForm(text: string, { maximumFields, maximumBytes }: FormLimits): string {
  const fields: (readonly [string, string])[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (fields.length === maximumFields)
      throw new HttpError('body_too_large', `The body has more than ${maximumFields} members.`);
    const end = pair.indexOf('=');
    fields.push([decoded(end < 0 ? pair : pair.slice(0, end)), end < 0 ? '' : decoded(pair.slice(end + 1))]);
  }
  const json = JSON.stringify(objectOfFields(fields));
  const size = Buffer.byteLength(json);
  if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
  return json;
}

/** Returns an object of named values in their order; a name that occurs several times has a list. */
export function objectOfFields(fields: readonly (readonly [name: string, value: unknown])[]): object {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of fields) {
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

function decoded(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw new HttpError('undecodable_body', 'The form contains an invalid escape.');
  }
  refuseUnstorable(text);
  return text;
}

const MULTIPART = /^multipart\/form-data\s*;/i;
const MAXIMUM_FILES = 20;
const MAXIMUM_NAME_BYTES = 1_000;
const BROKEN = 'The form is not valid multipart/form-data.';

/** Returns whether the body of a request is a form of parts. */
function isMultipart({ headers }: IncomingMessage): boolean {
  return MULTIPART.test(headers['content-type'] ?? '');
}

interface FilePart {
  readonly field: string;
  /** As the sender named it; empty when it did not. */
  readonly fileName: string;
  readonly mediaType: string;
  /** Parts of the body, not copied. */
  readonly chunks: readonly Buffer[];
  readonly sizeBytes: number;
}

interface MultipartForm {
  /** Names and texts in their order; a name can repeat. */
  readonly fields: readonly (readonly [name: string, text: string])[];
  readonly files: readonly FilePart[];
}

/**
 * Resolves to the parts of a form. A part with a file name, or of type application/octet-stream, is a file; one without a
 * name and content, as browsers send for an empty field, is left out. Rejects with undecodable_body, invalid_value for a NUL
 * character, and body_too_large for too many parts.
 */
function readMultipartForm(
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
      (field: string, stream: BusboyFileStream, given: string | undefined, _encoding, type) => {
        const chunks: Buffer[] = [];
        let sizeBytes = 0;
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          sizeBytes += chunk.length;
        });
        // An incomplete form is also reported as an error of the parser.
        stream.on('error', () => undefined);
        stream.on('end', () => {
          if (sizeBytes > 0 || (given ?? '') !== '')
            files.push({ field, fileName: given ?? '', mediaType: type, chunks, sizeBytes });
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

/** How the payload of a webhook names a file. */
interface NamedFile {
  readonly name: string;
  /** The path by which components read the file. */
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

export interface WebhookFilesDependencies {
  readonly files: FileStore;
  readonly audit: Pick<AuditLog, 'recording'>;
  readonly logger: Logger;
}

interface FileOwner {
  readonly userId: string;
  /** The run that the webhook starts. */
  readonly runId: string;
  readonly request: IncomingMessage;
  readonly requestId: string | null;
}

/**
 * Stores the files of one webhook as files of the flow's owner, before its run is stored, because the request of the run names
 * them. When the run is stored they are kept; otherwise they are deleted. If the process ends before that, the pruner does it.
 */
export class WebhookFiles {
  readonly #dependencies: WebhookFilesDependencies;
  readonly #owner: FileOwner;
  #count = 0;
  /** Whether the run is being stored, so that its row can exist even when storing it fails. */
  #isAccepting = false;

  constructor(dependencies: WebhookFilesDependencies, owner: FileOwner) {
    this.#dependencies = dependencies;
    this.#owner = owner;
  }

  /** Stores a file. Null when the user was deleted in the meantime. Rejects when the database is unavailable. */
  async store({ fileName: given, mediaType, chunks }: FilePart): Promise<NamedFile | null> {
    const { files, audit } = this.#dependencies;
    const { userId, runId: awaitsRun } = this.#owner;
    this.#count += 1;
    const file = { userId, flowId: null, ...fileName(given), awaitsRun };
    const stored = await audit.recording(this.#actor(), (record) =>
      files.receive(file, contentOf(chunks), (connection, received) =>
        record(connection, fileEvent('file.uploaded', received)),
      ),
    );
    if (stored === null) return null;
    const { name, extension, path, sizeBytes } = stored;
    return { name: name + extension, path, type: mediaType, size: sizeBytes };
  }

  /** Call before the run is stored: a failure after that does not show whether it was, except that of a limit. */
  accepting(): void {
    this.#isAccepting = true;
  }

  /** Keeps the files of a new run, and deletes those of a delivery that was repeated. */
  accepted(isNew: boolean): void {
    this.#settle(isNew ? 'keep' : 'delete');
  }

  /** Deletes the files of a webhook that was refused by this error. */
  refused(error: unknown): void {
    const isOverLimit = error instanceof HttpError && error.code === 'too_many_waiting';
    if (isOverLimit || !this.#isAccepting) this.#settle('delete');
  }

  #settle(end: 'keep' | 'delete'): void {
    if (this.#count === 0) return;
    const { files, logger } = this.#dependencies;
    const { runId } = this.#owner;
    const settling = end === 'keep' ? files.keepOfRun(runId) : files.deleteOfRun(runId);
    settling.catch((error: unknown) =>
      logger.warn({ error, runId }, 'files of a webhook were not settled; the pruner settles them'),
    );
  }

  #actor(): AuditActor {
    const { userId, request, requestId } = this.#owner;
    return { kind: 'unknown', userId, keyId: null, requestId, ...clientAddresses(request) };
  }
}

async function* contentOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
