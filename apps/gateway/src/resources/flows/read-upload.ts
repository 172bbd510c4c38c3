import { newFlowSchema } from '../../flow-changes/flow-bodies';
import type { FlowBody } from '../../flow-changes/flow-bodies';
import { HttpError } from '@millrace/http';
import { bodyKind } from '../../http/bodies/parse-body';
import { parseForm } from '../../http/bodies/parse-form';
import { isRecord, parseJson } from '../../http/bodies/parse-json';
import type { Call } from '../../http/routing/route';
import type { ValidationItem } from '../../http/validation/validation-item';
import { createValidator } from '../../http/validation/validator';
import { ZipError } from '../../zip/read-zip';
import type { ZipMember } from '../../zip/write-zip';
import { archivedExports } from './archived-exports';

const validate = createValidator(newFlowSchema);
const NO_UPLOAD = { bytes: Buffer.alloc(0), maximumMembers: 0 };
const MAXIMUM_FLOWS = 1_000;

/**
 * Reads the flows of an upload, which is the `file` of a form or the body itself. It contains one export, a list of
 * them, `{"flows": […]}`, or a ZIP archive of such files. Throws invalid_value, invalid_flow, invalid_request,
 * undecodable_body and body_too_large.
 */
export async function readUpload(call: Pick<Call, 'request' | 'runBody'>): Promise<readonly FlowBody[]> {
  const { request, runBody } = call;
  const { bytes, maximumMembers } = runBody && 'bytes' in runBody ? runBody : NO_UPLOAD;
  const content = bodyKind(request) === 'form' ? await fileOf(request, bytes) : bytes;
  if (content === null || (content === bytes && content.length === 0))
    throw new HttpError('invalid_value', 'No file provided');
  if (content.length === 0) throw new HttpError('invalid_value', 'The uploaded file is empty');
  const archived = archivedFlows(content, maximumMembers);
  return readFlows(archived ?? listOf(parseExport(content, maximumMembers)));
}

/**
 * Returns the documents of an archive, without files that are no JSON; null when the content is no archive. Throws
 * invalid_value for one that cannot be read or has no document.
 */
export function archivedFlows(content: Buffer, maximumMembers: number): readonly unknown[] | null {
  const files = unpacked(content);
  if (files === null) return null;
  const documents = files.flatMap((file) => {
    const value = parsed(file.content, maximumMembers);
    return 'fault' in value ? [] : listOf(value.value);
  });
  if (documents.length === 0)
    throw new HttpError('invalid_value', 'No valid flow JSON files found in the ZIP');
  return documents;
}

/** Returns validated flows of an upload. Throws invalid_value and invalid_request. */
export function readFlows(flows: readonly unknown[]): readonly FlowBody[] {
  if (flows.length > MAXIMUM_FLOWS) {
    throw new HttpError('invalid_value', `An upload can contain at most ${MAXIMUM_FLOWS} flows.`);
  }
  flows.forEach((flow, index) =>
    validate(flow, { loc: flows.length === 1 ? ['body'] : ['body', 'flows', index] }),
  );
  return flows as readonly FlowBody[];
}

/** The file of a form, or null. */
async function fileOf(request: Call['request'], bytes: Buffer): Promise<Buffer | null> {
  const { files } = await parseForm(request, bytes);
  return files.find(({ name }) => name === 'file')?.content ?? null;
}

/** Returns the exports of an archive; null when the content is no archive. Throws invalid_value. */
function unpacked(content: Buffer): readonly ZipMember[] | null {
  try {
    return archivedExports(content);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new HttpError('invalid_value', `Uploaded file is not a valid ZIP archive: ${error.message}`, {
      cause: error,
    });
  }
}

/** Parses one file of an upload. Throws invalid_value and body_too_large. */
export function parseExport(content: Buffer, maximumMembers: number): unknown {
  const result = parsed(content, maximumMembers);
  if ('value' in result) return result.value;
  // The request is valid but the file in it is not, for which Langflow has another status.
  const { fault } = result;
  throw new HttpError('invalid_value', `Invalid JSON file: ${reasonOf(fault)}`, { cause: fault });
}

function parsed(
  content: Buffer,
  maximumMembers: number,
): { readonly value: unknown } | { readonly fault: HttpError } {
  try {
    return { value: parseJson(content, maximumMembers) };
  } catch (error) {
    if (!(error instanceof HttpError) || error.code === 'body_too_large') throw error;
    return { fault: error };
  }
}

/** The reason and the offset of an error of syntax; its text for bytes that are no text. */
function reasonOf({ message, detail }: HttpError): string {
  const [item] = Array.isArray(detail) ? (detail as readonly ValidationItem[]) : [];
  if (item === undefined) return message;
  return `${String(item.ctx?.['error'] ?? item.msg)} (char ${String(item.loc.at(-1))})`;
}

/** The flows of a document: a list, those of `{"flows": […]}`, or the document itself. Throws invalid_flow. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || !('flows' in value)) return [value];
  const { flows } = value;
  if (!Array.isArray(flows))
    throw new HttpError('invalid_flow', "Invalid JSON: 'flows' must be a list of flow objects");
  const wrong = flows.findIndex((flow) => !isRecord(flow));
  if (wrong >= 0) throw new HttpError('invalid_flow', `Invalid JSON: flows[${wrong}] is not an object`);
  return flows;
}
