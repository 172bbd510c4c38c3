import { ComponentError, isDict } from '@millrace/flow';
import type { ShownException } from '@millrace/flow';
import { repr } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { decodeText } from '../http/decode-text';
import { bodyExcerpt, errorTextIn } from '../http/error-text';
import type { HttpAnswer } from '../http/http-call';
import { withoutSecrets } from '../http/service-error';
import { isTransientStatus } from '../http/transient-status';
import type { ClientExceptions } from './client-exceptions';

const maximumCharacters = 4000;

/** A response with which a provider rejects a request; the cause of the ComponentError that reports it. */
export class ModelRefusal extends Error {
  readonly status: number;
  /** The text of the error in the body, if there is one. */
  readonly said: string | null;

  constructor(status: number, message: string, said: string | null = null) {
    super(message);
    this.name = 'ModelRefusal';
    this.status = status;
    this.said = said;
  }
}

/** An answer that is empty or ends before its end; the cause of the ComponentError that reports it. */
export class IncompleteAnswer extends Error {
  override readonly name = 'IncompleteAnswer';
}

/** Who answered, for an error. */
export interface Answering {
  readonly service: string;
  /** Keys to remove from the error. */
  readonly secrets: readonly string[];
  /** Returns the error for an answer without a success status in the words of the provider's client. */
  readonly describeRefusal?: (answer: HttpAnswer) => string;
  readonly exceptions?: ClientExceptions | undefined;
}

/** Returns the error for an answer without a success status: the status with the body, unless described otherwise. */
export function refusalError(
  answer: HttpAnswer,
  { secrets, describeRefusal, exceptions }: Answering,
): ComponentError {
  const { status } = answer;
  const body = parsedBody(decodeText(answer));
  const text = (describeRefusal ?? statusText)(answer);
  const { said, exceptionCode, ...exception } = exceptions?.refused(status, body, text) ?? {};
  return rejection(status, text, secrets, {
    said: errorTextIn(body),
    exception: {
      ...exception,
      ...(said !== undefined && { said: shortened(said, secrets) }),
      ...(exceptionCode !== undefined && {
        exceptionCode: exceptionCode === null ? null : shortened(exceptionCode, secrets),
      }),
    },
  });
}

/** Returns the error of a bad request with the text in its body alone; other errors as they are. */
export function saidRefusal(error: unknown): unknown {
  if (!(error instanceof ComponentError) || !(error.cause instanceof ModelRefusal)) return error;
  const { status, said } = error.cause;
  return status === 400 && said !== null ? rejection(status, said, [], { said }) : error;
}

/** Returns the error with its text alone, as components raise it that catch every exception. */
export function errorOfValue(error: unknown): unknown {
  if (!(error instanceof ComponentError)) return error;
  return new ComponentError(error.message, error, { permanent: error.permanent });
}

function statusText(answer: HttpAnswer): string {
  const { status } = answer;
  const text = decodeText(answer);
  const body = parsedBody(text);
  const shown = typeof body === 'object' && body !== null ? repr(body) : bodyExcerpt(text);
  return `Error code: ${status}${shown === '' ? '' : ` - ${shown}`}`;
}

/** Returns the error that a provider reports in the JSON of an answer with a success status; null when it reports none. */
export function reportedError(value: PythonValue, { secrets }: Answering): ComponentError | null {
  if (!isDict(value)) return null;
  const error = errorIn(value);
  if (error === null) return null;
  const text = errorTextIn(error) ?? JSON.stringify(error);
  const status = statusIn(error) ?? statusIn(value);
  if (status !== null) return rejection(status, text, secrets);
  return new ComponentError(shortened(text, secrets), undefined, { permanent: false });
}

/** Returns the error for an answer in which there is no answer of a model; `found` is what came in its place. */
export function missingAnswer(found: string, { service, secrets }: Answering): ComponentError {
  const words = shortened(bodyExcerpt(found), secrets);
  return words === ''
    ? incompleteAnswer(`${service} returned an empty answer.`)
    : new ComponentError(`${service} returned no answer of a model, but: ${words}`, undefined, {
        permanent: false,
      });
}

/** Returns the error for an answer that ends with tool calls, of which none can be read. */
export function unreadableCalls({ service }: Answering): ComponentError {
  return new ComponentError(
    `${service} ended its answer with tool calls, but sent none that can be read.`,
    undefined,
    {
      permanent: false,
    },
  );
}

/** Returns the error for an answer that stops before its end; `found` is what came in place of the end. */
export function brokenAnswer(found: string, { service, secrets }: Answering): ComponentError {
  const words = shortened(bodyExcerpt(found), secrets);
  return incompleteAnswer(`${service} ended its answer early${words === '' ? '.' : `: ${words}`}`);
}

function incompleteAnswer(message: string): ComponentError {
  return new ComponentError(message, new IncompleteAnswer(message), { permanent: false });
}

function rejection(
  status: number,
  text: string,
  secrets: readonly string[],
  {
    said = null,
    exception = {},
  }: { readonly said?: string | null; readonly exception?: Partial<ShownException> } = {},
): ComponentError {
  const message = shortened(text, secrets);
  const words = said === null ? null : shortened(said, secrets);
  return new ComponentError(message, new ModelRefusal(status, message, words), {
    permanent: !isTransientStatus(status),
    ...exception,
  });
}

function shortened(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text.slice(0, maximumCharacters), secrets);
}

/** Returns the part of an event or of an answer that reports an error; null without one. */
function errorIn(value: PythonObject): PythonValue {
  for (const error of [value['error'] ?? null, value['errors'] ?? null]) {
    if (isGiven(error)) return error === true ? value : error;
  }
  if (value['type'] === 'error') return value;
  // Some servers and proxies send the error itself.
  const isBare = typeof value['message'] === 'string' || isGiven(value['detail'] ?? null);
  return isBare && !('choices' in value) ? value : null;
}

/** Some servers send an empty error with each answer. */
function isGiven(error: PythonValue): boolean {
  if (Array.isArray(error)) return error.length > 0;
  return isDict(error) ? Object.values(error).some(Boolean) : Boolean(error);
}

const statusNames = ['code', 'status', 'status_code', 'statusCode', 'type'];

/** The statuses for which providers have words in `code`, `status` or `type`. */
const statusWords: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|exhausted|throttl|too.?many|quota/i, 429],
  [/overloaded/i, 529],
  [/unavailable/i, 503],
  [/time.?out|deadline/i, 504],
  [/authenticat|api.?key/i, 401],
  [/permission|denied/i, 403],
  [/not.?found/i, 404],
  [/^(?:api|server|internal)/i, 500],
  [/invalid|validation/i, 400],
];

function statusIn(found: PythonValue): number | null {
  const error = Array.isArray(found) ? (found[0] as PythonValue) : found;
  if (!isDict(error)) return null;
  const values = statusNames.map((name) => error[name]);
  const number = values.map(Number).find((status) => status >= 400 && status <= 599);
  if (number !== undefined) return number;
  const words = values.filter((value) => typeof value === 'string');
  return statusWords.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? null;
}

function parsedBody(text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch {
    return null;
  }
}
