import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { decodeText } from '../../integrations/http/decode-text';
import type { HttpAnswer } from '../../integrations/http/http-call';
import { textDigest } from './text-digest';

/** Returns the body as a value: JSON, else text; Base64 when the content type is neither. */
export function responseResult(answer: HttpAnswer, context: Pick<ComponentContext, 'log'>): PythonValue {
  if (isBinary(answer)) return answer.body.toString('base64');
  const text = decodeText(answer);
  try {
    return parsePythonJson(text);
  } catch {
    context.log('Failed to decode JSON response');
    return text;
  }
}

/** Stores the body as a file of the user's, with the key of its call in the name, and returns its path. */
export async function saveResponse(
  { headers, body }: HttpAnswer,
  url: URL,
  key: string,
  { resources }: ComponentContext,
): Promise<string> {
  const named =
    url.pathname
      .split('/')
      .pop()
      ?.replace(/[^\w.-]/g, '') ?? '';
  const name = named.includes('.') ? named : `${named === '' ? 'response' : named}${extension(headers)}`;
  return (await resources.files.save(`${textDigest(key)}-${name}`, body)).path;
}

export function responseHeaders({ headers, headerNames = [...headers.keys()] }: HttpAnswer): PythonObject {
  return Object.fromEntries(headerNames.map((name) => [name, headers.get(name)]));
}

function isBinary({ headers }: HttpAnswer): boolean {
  return /application\/(octet-stream|binary)/.test(headers.get('content-type') ?? '');
}

function extension(headers: Headers): string {
  const type = headers.get('content-type') ?? '';
  if (type.includes('json')) return '.json';
  if (type.includes('html')) return '.html';
  return type.startsWith('text/') ? '.txt' : '.bin';
}
