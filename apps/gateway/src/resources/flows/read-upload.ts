import { newFlowSchema } from './flow-bodies';
import type { FlowBody } from './flow-bodies';
import { HttpError } from '@millrace/http';
import { bodyKind } from '../../http/bodies/parse-body';
import { missing } from '../../http/validation/validation-items';
import { parseForm } from '../../http/bodies/parse-form';
import { parseJson } from '../../http/bodies/parse-json';
import type { Call } from '../../http/routing/route';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { ZipError } from '../../zip/read-zip';
import type { ZipMember } from '../../zip/write-zip';
import { archivedExports } from './archived-exports';

const validate = createValidator(newFlowSchema);
const NO_UPLOAD = { bytes: Buffer.alloc(0), maximumMembers: 0 };
const MAXIMUM_FLOWS = 1_000;

/**
 * Reads the flows of an upload, which is the `file` of a form or the body itself. It contains one export, a list of
 * them, `{"flows": […]}`, or a ZIP archive of such files. Throws invalid_value, invalid_request, undecodable_body and
 * body_too_large.
 */
export async function readUpload(call: Pick<Call, 'request' | 'runBody'>): Promise<readonly FlowBody[]> {
  const { request, runBody } = call;
  const { bytes, maximumMembers } = runBody && 'bytes' in runBody ? runBody : NO_UPLOAD;
  const content = bodyKind(request) === 'form' ? await fileOf(request, bytes) : bytes;
  const archived = unpacked(content);
  if (archived?.length === 0) throw new HttpError('invalid_value', 'The archive contains no JSON file.');
  const files = archived ?? [{ content }];
  return readFlows(files.flatMap((file) => listOf(parseExport(file.content, maximumMembers))));
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

async function fileOf(request: Call['request'], bytes: Buffer): Promise<Buffer> {
  const { files } = await parseForm(request, bytes);
  const file = files.find(({ name }) => name === 'file');
  if (file) return file.content;
  throw invalidRequest([missing(['body', 'file'], null)]);
}

/** Returns the exports of an archive; null when the content is no archive. Throws invalid_value. */
export function unpacked(content: Buffer): readonly ZipMember[] | null {
  try {
    return archivedExports(content);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new HttpError('invalid_value', `The archive cannot be read: ${error.message}.`, {
      cause: error,
    });
  }
}

/** Parses one file of an upload. Throws invalid_value and body_too_large. */
export function parseExport(content: Buffer, maximumMembers: number): unknown {
  try {
    return parseJson(content, maximumMembers);
  } catch (error) {
    if (error instanceof HttpError && error.code === 'body_too_large') throw error;
    // The request is valid but the file in it is not, for which Langflow has another status.
    throw new HttpError('invalid_value', 'The file is not a JSON document.', { cause: error });
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && 'flows' in value && Array.isArray(value.flows))
    return value.flows;
  return [value];
}
