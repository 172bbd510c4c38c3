import type { IncomingMessage } from 'node:http';
import { newFlowSchema } from '@millrace/contracts';
import type { FlowBody } from '@millrace/contracts';
import { bodyKind } from '../http/content-type';
import { missing } from '../http/fault-items';
import { parseForm } from '../http/parse-form';
import { parseJson } from '../http/parse-json';
import { RequestError } from '../http/request-error';
import { createValidator, invalidRequest } from '../http/validator';

const validate = createValidator(newFlowSchema);
const MAXIMUM_FLOWS = 1_000;

/** The flows of an upload: a form's `file`, or the body itself; one export, a list of them, or `{"flows": […]}`. */
export async function readUpload(request: IncomingMessage, bytes: Buffer): Promise<readonly FlowBody[]> {
  const content = bodyKind(request) === 'form' ? await fileOf(request, bytes) : bytes;
  const flows = listOf(parseExport(content));
  if (flows.length > MAXIMUM_FLOWS) {
    throw new RequestError('invalid_value', `An upload holds at most ${MAXIMUM_FLOWS} flows.`);
  }
  flows.forEach((flow, index) =>
    validate(flow, { loc: flows.length === 1 ? ['body'] : ['body', 'flows', index] }),
  );
  return flows as readonly FlowBody[];
}

async function fileOf(request: IncomingMessage, bytes: Buffer): Promise<Buffer> {
  const { files } = await parseForm(request, bytes);
  const file = files.find(({ name }) => name === 'file');
  if (file) return file.content;
  throw invalidRequest([missing(['body', 'file'], null)]);
}

function parseExport(content: Buffer): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    // Not the request but the file in it is wrong, which Langflow tells with another status.
    throw new RequestError('invalid_value', 'The file is not a JSON document.', { cause: error });
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && 'flows' in value && Array.isArray(value.flows))
    return value.flows;
  return [value];
}
