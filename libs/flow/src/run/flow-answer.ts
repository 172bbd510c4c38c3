import type { RunResponse } from './run-response';

/** The answer to a request that a flow chooses with a Respond vertex. */
export interface FlowAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The type of the component whose result is a FlowAnswer. */
export const RESPOND_TYPE = 'Respond';
/** The name of its output. */
export const FLOW_ANSWER_OUTPUT = 'http_response';

/** Bytes of a body in UTF-8. */
const MAXIMUM_BODY_BYTES = 1_048_576;
const MAXIMUM_HEADER_LENGTH = 4_096;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(\s*;[\t\x20-\x7e]*)?$/;
/** Statuses whose responses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Headers that a flow can set. The answer comes from the origin of the console, so no header is here that stores
 * cookies, grants access to other origins, changes what browsers run, or gives orders to a proxy in front.
 */
export const answerHeaders: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
]);

/** Returns why an answer cannot be sent, as a sentence; null when it can. */
export function refusedAnswer({ status, headers, body }: FlowAnswer): string | null {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    return 'The status must be a whole number from 200 to 599.';
  for (const [name, value] of Object.entries(headers)) {
    if (!answerHeaders.has(name))
      return `The header ${name} cannot be set; only ${[...answerHeaders].join(', ')}.`;
    if (value.length > MAXIMUM_HEADER_LENGTH)
      return `The header ${name} has more than ${MAXIMUM_HEADER_LENGTH} characters.`;
    if (!HEADER_VALUE.test(value))
      return `The header ${name} contains a character that is not printable ASCII.`;
    if (name === 'content-type' && !MEDIA_TYPE.test(value))
      return 'The content type must be a media type, such as text/plain.';
  }
  if (Buffer.byteLength(body) > MAXIMUM_BODY_BYTES)
    return `The body has more than ${MAXIMUM_BODY_BYTES} bytes.`;
  if (WITHOUT_BODY.has(status) && body !== '') return `An answer with the status ${status} has no body.`;
  return null;
}

/**
 * Returns the answer that a flow has chosen: that of the first Respond vertex, in the order of the nodes, that ran; null
 * when none did.
 */
export function flowAnswerOf({ outputs }: RunResponse): FlowAnswer | null {
  for (const { results } of outputs.flatMap((input) => input.outputs)) {
    const answer = answerIn(results[FLOW_ANSWER_OUTPUT]);
    if (answer !== null && refusedAnswer(answer) === null) return answer;
  }
  return null;
}

/** Reads the result of a Respond vertex, which is data. */
function answerIn(result: unknown): FlowAnswer | null {
  const data = isObject(result) ? result['data'] : undefined;
  if (!isObject(data)) return null;
  const { status, headers, body } = data;
  if (typeof status !== 'number' || typeof body !== 'string' || !isObject(headers)) return null;
  if (!Object.values(headers).every((value) => typeof value === 'string')) return null;
  return { status, headers: headers as FlowAnswer['headers'], body };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
