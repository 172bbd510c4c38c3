import type { RequestLimits } from '@millrace/access';
import { pydanticTime } from '../../http/validation/date-time';
import { idListSchema } from '../../http/bodies/id-list-schema';
import { HttpError } from '@millrace/http';
import { fileName } from '@millrace/runs';
import type { AuditLog, FileRecord, FileStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { auditedFiles } from './audited-files';
import { receiveUpload } from './receive-upload';
import { sendFile, sendText } from './send-file';
import { sendFiles } from './send-files';
import { booleanParameter } from '../../http/validation/query';
import { missing } from '../../http/validation/validation-items';
import { requireBody } from '../../http/validation/require-body';
import { forManagement, forReading } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { userFileOperations } from './file-operations';

export interface UserFileRoutesOptions {
  readonly files: FileStore;
  readonly audit: AuditLog;
  readonly maximumBytes: number;
  readonly limits: Pick<RequestLimits, 'countFile'>;
}

/** With and without the trailing slash, since a redirect would make clients send a whole upload twice. */
const ROOTS = ['/api/v2/files', '/api/v2/files/'] as const;

/** Paths, `..`, line breaks and characters that change how a name is shown. */
const UNSAFE_NAME = /\.\.|[/\\\0\r\n\p{Cf}\p{Zl}\p{Zp}]/u;
/** Names of devices on Windows. */
const RESERVED_NAME = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|COM[0-9¹²³]|LPT[0-9¹²³])(?=[ .]|$)/i;
const MAXIMUM_NAME_BYTES = 255;
const checkIds = createValidator(idListSchema);

/** Routes for a user's files that belong to no flow. A key that can run flows can upload and read them. */
export function userFileRoutes(options: UserFileRoutesOptions): readonly Route[] {
  const { files, audit, maximumBytes, limits } = options;
  const audited = auditedFiles({ files, audit });
  const upload = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const file = await receiveUpload(request, {
      maximumBytes,
      counted: limits.countFile({ principal, flow: null }),
      store: async (given, content) => {
        if (given === '') throw new HttpError('invalid_value', 'No file provided');
        refuseName(given);
        const place = { userId: principal.userId, flowId: null };
        const stored = await audited.receive(actorOf(call), { ...place, ...dividedName(given) }, content);
        if (!stored) throw fileNotFound();
        return stored;
      },
    });
    sendJson(response, 201, uploadedView(file));
  };
  const list = async ({ response, principal }: KeyedCall) => {
    sendJson(response, 200, (await files.list(principal.userId, null)).map(fileView));
  };
  const removeAll = async (call: KeyedCall) => {
    const { response, principal } = call;
    const count = await audited.deleteAll(actorOf(call), principal.userId);
    sendJson(response, 200, { message: `All ${count} files deleted successfully` });
  };
  const fileOf = async ({ request, principal }: KeyedCall): Promise<FileRecord> => {
    const id = parseUuidStrictly(pathParameter(request, 'file_id'), ['path', 'file_id']);
    const file = await files.find(principal.userId, id);
    if (!file) throw fileNotFound();
    return file;
  };
  const filesOf = async ({ body, principal }: KeyedCall): Promise<readonly FileRecord[]> => {
    checkIds(requireBody(body));
    const ids = new Set((body as readonly string[]).map((id) => normalizeUuid(id) ?? id));
    const found = (await files.list(principal.userId, null)).filter(({ id }) => ids.has(id));
    if (found.length === 0) throw new HttpError('not_found', 'No files found');
    return found;
  };
  const downloadMany = async (call: KeyedCall) => sendFiles(call.response, files, await filesOf(call));
  const removeMany = async (call: KeyedCall) => {
    const found = await filesOf(call);
    for (const file of found) await audited.delete(actorOf(call), file);
    sendJson(call.response, 200, { message: `${found.length} files deleted successfully` });
  };
  const download = async (call: KeyedCall) => {
    const isText = booleanParameter(call.query, 'return_content', false);
    return (isText ? sendText : sendFile)(call.response, files, await fileOf(call));
  };
  const rename = async (call: KeyedCall) => {
    const file = await fileOf(call);
    const wanted = call.query.get('name');
    if (wanted === null) throw invalidRequest([missing(['query', 'name'], null)]);
    refuseName(wanted);
    const { name, extension } = fileName(wanted);
    const renamed = await audited.rename(actorOf(call), file, name + extension);
    if (!renamed) throw fileNotFound();
    sendJson(call.response, 200, uploadedView(renamed));
  };
  const remove = async (call: KeyedCall) => {
    const file = await fileOf(call);
    if (!(await audited.delete(actorOf(call), file))) throw fileNotFound();
    sendJson(call.response, 200, { detail: `File ${file.name} deleted successfully` });
  };

  const one = '/api/v2/files/:file_id';
  const many = { path: '/api/v2/files/batch/', body: 'json' } as const;
  const operations = userFileOperations;
  return [
    ...ROOTS.flatMap((path): Route[] => [
      { method: 'GET', path, access: forReading, operation: operations.list, handle: list },
      { method: 'POST', path, access: forReading, operation: operations.upload, handle: upload },
      { method: 'DELETE', path, access: forManagement, operation: operations.removeAll, handle: removeAll },
    ]),
    {
      ...many,
      method: 'POST',
      access: forReading,
      operation: operations.downloadMany,
      handle: downloadMany,
    },
    {
      ...many,
      method: 'DELETE',
      access: forManagement,
      operation: operations.removeMany,
      handle: removeMany,
    },
    { method: 'GET', path: one, access: forReading, operation: operations.download, handle: download },
    { method: 'PUT', path: one, access: forManagement, operation: operations.rename, handle: rename },
    { method: 'DELETE', path: one, access: forManagement, operation: operations.remove, handle: remove },
  ];
}

/** Divides the name of an upload at its last dot, as Langflow: that of `.hidden` is empty. */
function dividedName(given: string): ReturnType<typeof fileName> {
  const dot = given.lastIndexOf('.');
  if (dot < 0) return { name: given, extension: '' };
  return { name: given.slice(0, dot), extension: dot === given.length - 1 ? '' : given.slice(dot) };
}

function uploadedView({ id, name, path, sizeBytes }: FileRecord): Record<string, unknown> {
  return { id, name, path, size: sizeBytes, provider: null };
}

function fileView(file: FileRecord): Record<string, unknown> {
  return {
    ...uploadedView(file),
    user_id: file.userId,
    created_at: pydanticTime(file.createdAt),
    updated_at: pydanticTime(file.updatedAt),
  };
}

function fileNotFound(): HttpError {
  return new HttpError('not_found', 'File not found');
}

/** Throws invalid_value for a name that a client's file system cannot have, or that could be read as another one. */
function refuseName(name: string): void {
  const problem = problemOf(name);
  if (problem !== null) throw new HttpError('invalid_value', problem);
}

function problemOf(name: string): string | null {
  if (name === '' || UNSAFE_NAME.test(name))
    return "Invalid file name: paths, '..', NUL, CR/LF, and unsafe Unicode formatting are forbidden.";
  if (Buffer.byteLength(name) > MAXIMUM_NAME_BYTES)
    return `File name is too long. Maximum ${MAXIMUM_NAME_BYTES} bytes allowed.`;
  if (name === '.') return 'Invalid file name after sanitization';
  return RESERVED_NAME.test(name) ? `Invalid file name. '${name}' is a reserved system name.` : null;
}
