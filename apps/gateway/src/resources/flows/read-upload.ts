import { newFlowSchema } from '@millrace/contracts';
import type { FlowBody } from '@millrace/contracts';
import { HttpError } from '@millrace/http';
import { bodyKind } from '../../http/bodies/content-type';
import { missing } from '../../http/validation/validation-items';
import { parseForm } from '../../http/bodies/parse-form';
import { parseJson } from '../../http/bodies/parse-json';
import type { Call } from '../../http/routing/route';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { isZip, readZip, ZipError } from '../../zip/read-zip';
import type { ZipMember } from '../../zip/write-zip';

const validate = createValidator(newFlowSchema);
const NO_UPLOAD = { bytes: Buffer.alloc(0), maximumMembers: 0 };
const MAXIMUM_FLOWS = 1_000;
/** An unpacked archive can be larger than a body. */
const ARCHIVE_LIMITS = { maximumMembers: 2_000, maximumBytes: 67_108_864 };

/**
 * Reads the flows of an upload, which is the `file` of a form or the body itself. It contains one export, a list of
 * them, `{"flows": […]}`, or a ZIP archive of such files. Throws invalid_value, invalid_request, undecodable_body and
 * body_too_large.
 */
export async function readUpload(call: Pick<Call, 'request' | 'runBody'>): Promise<readonly FlowBody[]> {
  const { request, runBody } = call;
  const { bytes, maximumMembers } = runBody && 'bytes' in runBody ? runBody : NO_UPLOAD;
  const content = bodyKind(request) === 'form' ? await fileOf(request, bytes) : bytes;
  const flows = isZip(content)
    ? flowsOfArchive(content, maximumMembers)
    : listOf(parseExport(content, maximumMembers));
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

function flowsOfArchive(archive: Buffer, maximumMembers: number): readonly unknown[] {
  const members = unpacked(archive);
  if (members.length > 0)
    return members.flatMap(({ content }) => listOf(parseExport(content, maximumMembers)));
  throw new HttpError('invalid_value', 'The archive contains no JSON file.');
}

function unpacked(archive: Buffer): readonly ZipMember[] {
  try {
    return readZip(archive, ARCHIVE_LIMITS, isExport);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    throw new HttpError('invalid_value', `The archive cannot be read: ${error.message}.`, {
      cause: error,
    });
  }
}

/** Returns whether a name is that of an export. macOS adds files that are not flows to archives. */
function isExport(name: string): boolean {
  return name.toLowerCase().endsWith('.json') && !name.startsWith('__MACOSX/');
}

function parseExport(content: Buffer, maximumMembers: number): unknown {
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
