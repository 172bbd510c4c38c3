import { ComponentError } from '@millrace/flow';
import { repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { decodeText } from '../http/decode-text';
import type { HttpAnswer } from '../http/http-call';
import { objectsMember, textMember } from '../http/json-members';
import { withoutSecrets } from '../http/service-error';
import type { ModelEndpoint } from './model-endpoint';

const maximumCharacters = 4000;

/** A response with which a provider rejects a request; the cause of the ComponentError that reports it. */
export class ModelRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ModelRefusal';
    this.status = status;
  }
}

/** Returns the error for a rejected request: the provider's text for a bad request, else the status with the body. */
export function modelRefusal({ apiKey }: Pick<ModelEndpoint, 'apiKey'>, answer: HttpAnswer): ComponentError {
  const body = parsedBody(decodeText(answer));
  const providerText = answer.status === 400 ? messageIn(body) : null;
  const text = providerText ?? `Error code: ${answer.status}${body === '' ? '' : ` - ${repr(body)}`}`;
  const message = withoutSecrets(text.slice(0, maximumCharacters), [apiKey.reveal()]);
  return new ComponentError(message, new ModelRefusal(answer.status, message));
}

function parsedBody(text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch {
    return text.trim();
  }
}

function messageIn(body: PythonValue): string | null {
  const candidates = [
    textMember(body, 'error', 'message'),
    textMember(objectsMember(body, 'errors')[0] ?? null, 'message'),
    textMember(body, 'message'),
    textMember(body, 'error'),
  ];
  return candidates.find((words) => words !== '') ?? null;
}
