import { ComponentError, repr } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { decodeText } from '../http/decode-text';
import type { HttpAnswer } from '../http/http-call';
import { objectsMember, textMember } from '../http/json-members';
import { withoutSecrets } from '../http/service-error';
import type { ModelEndpoint } from './model-endpoint';

const mostCharacters = 4000;

/** An answer by which a provider refuses a request; what a ComponentError that tells of it has as its cause. */
export class ModelRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ModelRefusal';
    this.status = status;
  }
}

/** What a refusal is told as: the provider's own words for a bad request, else the status with the body. */
export function modelRefusal({ apiKey }: Pick<ModelEndpoint, 'apiKey'>, answer: HttpAnswer): ComponentError {
  const body = parsedBody(decodeText(answer));
  const said = answer.status === 400 ? wordsIn(body) : null;
  const text = said ?? `Error code: ${answer.status}${body === '' ? '' : ` - ${repr(body)}`}`;
  const message = withoutSecrets(text.slice(0, mostCharacters), [apiKey.reveal()]);
  return new ComponentError(message, new ModelRefusal(answer.status, message));
}

function parsedBody(text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch {
    return text.trim();
  }
}

function wordsIn(body: PythonValue): string | null {
  const candidates = [
    textMember(body, 'error', 'message'),
    textMember(objectsMember(body, 'errors')[0] ?? null, 'message'),
    textMember(body, 'message'),
    textMember(body, 'error'),
  ];
  return candidates.find((words) => words !== '') ?? null;
}
