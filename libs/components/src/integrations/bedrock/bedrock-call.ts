import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { AwsAccess } from '../aws/aws-access';
import { eventFrames } from '../aws/event-frames';
import { signRequest } from '../aws/sign-request';
import { decodeText } from '../http/decode-text';
import { bodyExcerpt, errorTextIn } from '../http/error-text';
import type { HttpAnswer } from '../http/http-call';
import { documentIn, wholeItem } from '../http/stream-events';
import type { StreamItem } from '../http/stream-events';
import type { ModelEndpoint } from '../models/model-endpoint';
import { modelCall, postCall } from '../models/model-http';
import type { ModelCall } from '../models/model-http';

export const bedrock = 'Amazon Bedrock';

/** A call of a model's operation. */
export interface BedrockCall {
  readonly model: string;
  readonly operation: 'Converse' | 'ConverseStream' | 'InvokeModel';
  readonly body: unknown;
}

const paths = { Converse: 'converse', ConverseStream: 'converse-stream', InvokeModel: 'invoke' };

/** Returns the endpoint of an account, for a model that is passed on. Calls are signed, not sent with a key. */
export function bedrockEndpoint(access: AwsAccess): ModelEndpoint {
  return {
    provider: bedrock,
    baseUrl: access.baseUrl,
    apiKey: access.secretAccessKey,
    keyHeader: null,
    headers: {},
    query: {},
    maximumRetries: 2,
    timeoutMilliseconds: 700_000,
  };
}

/** Calls a model for vectors and returns the JSON of the answer. A rejection is a ComponentError with the text of AWS. */
export function callBedrock(
  access: AwsAccess,
  call: BedrockCall,
  endpoint: ModelEndpoint,
  context: ComponentContext,
): Promise<PythonValue> {
  return postCall(bedrockCall(access, call, endpoint), call.model, context);
}

/** Returns the signed call of a model's operation. */
export function bedrockCall(
  access: AwsAccess,
  { model, operation, body }: BedrockCall,
  endpoint: ModelEndpoint,
): ModelCall {
  const path = `/model/${encodeURIComponent(model)}/${paths[operation]}`;
  const call = modelCall(endpoint, { path, body });
  const request = {
    method: 'POST',
    url: call.url,
    headers: { 'content-type': 'application/json' },
    body: call.body,
  };
  return {
    ...call,
    headers: request.headers,
    // A signature is valid for minutes, and a later try needs its own.
    headersOfTry: () => signRequest(request, access, 'bedrock', new Date()),
    secrets: [access.secretAccessKey.reveal(), access.sessionToken?.reveal() ?? ''],
    describeRefusal: (answer) => refusalText(operation, answer),
  };
}

/** Returns the words of AWS's client, which Langflow shows. */
function refusalText(operation: string, answer: HttpAnswer): string {
  const code = answer.headers.get('x-amzn-errortype')?.split(':')[0] ?? String(answer.status);
  const text = decodeText(answer);
  const item = wholeItem(text);
  const reason = item.kind === 'document' ? errorTextIn(item.value) : bodyExcerpt(text);
  return `An error occurred (${code}) when calling the ${operation} operation: ${reason || answer.statusText}`;
}

/**
 * Reads the events of an answer, each under its type, or the document that a server sends in their place. Throws a
 * ComponentError for bytes that are neither.
 */
export async function* bedrockItems(
  parts: AsyncIterable<Uint8Array>,
  headers: Headers,
): AsyncGenerator<StreamItem, void, undefined> {
  const source = parts[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const rest = { [Symbol.asyncIterator]: () => source };
  // An event begins with its length, whose first byte is 0 or 1; a document begins with a letter.
  if ((first.value[0] ?? 0) > 1) return yield* documentIn(first.value, rest, headers);
  for await (const { payload, headers: of } of eventFrames(following(first.value, rest), bedrock)) {
    const item = wholeItem(payload.toString('utf8'));
    if (item.kind !== 'document') {
      yield item;
      continue;
    }
    const { ':message-type': kind, ':event-type': type = '', ':exception-type': exception = '' } = of;
    const words = errorTextIn(item.value) ?? of[':error-message'] ?? exception;
    const value = kind === 'event' ? { [type]: item.value } : { error: { type: exception, message: words } };
    yield { kind: 'event', value };
  }
}

async function* following(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  yield* rest;
}
