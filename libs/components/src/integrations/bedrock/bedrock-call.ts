import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { AwsAccess } from '../aws/aws-access';
import { eventFrames } from '../aws/event-frames';
import type { EventFrame } from '../aws/event-frames';
import { signRequest } from '../aws/sign-request';
import { callHttp } from '../http/call-http';
import { decodeText } from '../http/decode-text';
import type { HttpAnswer, HttpCall } from '../http/http-call';
import { textMember } from '../http/json-members';
import { withoutSecrets } from '../http/service-error';
import { streamAnswer } from '../http/stream-events';
import type { ModelEndpoint } from '../models/model-endpoint';
import { ModelRefusal } from '../models/model-refusal';

export const bedrock = 'Amazon Bedrock';

const maximumBytes = 64 * 1_048_576;

/** A call of a model's operation. */
export interface BedrockCall {
  readonly model: string;
  readonly operation: 'Converse' | 'ConverseStream' | 'InvokeModel';
  readonly body: unknown;
}

const paths = { Converse: 'converse', ConverseStream: 'converse-stream', InvokeModel: 'invoke' };

type Endpoint = Pick<ModelEndpoint, 'maximumRetries' | 'timeoutMilliseconds'>;

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

/** Calls a model and returns the JSON of the answer. A rejection is a ComponentError with the text of AWS. */
export async function callBedrock(
  access: AwsAccess,
  call: BedrockCall,
  endpoint: Endpoint,
  context: ComponentContext,
): Promise<PythonValue> {
  const answer = await callHttp(httpCall(access, call, endpoint), context);
  if (answer.status < 200 || answer.status > 299) throw refusal(access, call, answer);
  return parsed(decodeText(answer));
}

/** Calls a model and yields the events of the answer by their types. Rejections are as above. */
export async function* streamBedrock(
  access: AwsAccess,
  call: BedrockCall,
  endpoint: Endpoint,
  context: ComponentContext,
): AsyncGenerator<{ readonly type: string; readonly event: PythonValue }, void, undefined> {
  const reader = {
    errorFor: (answer: HttpAnswer) => refusal(access, call, answer),
    read: (parts: AsyncIterable<Uint8Array>) => eventFrames(parts, bedrock),
  };
  for await (const frame of streamAnswer<EventFrame>(httpCall(access, call, endpoint), reader, context)) {
    const event = parsed(frame.payload.toString('utf8'));
    const { ':message-type': kind, ':event-type': type = '', ':exception-type': exception } = frame.headers;
    if (kind !== 'event') {
      const reason = textMember(event, 'message') || exception || frame.headers[':error-message'];
      throw new ComponentError(`${bedrock} ended its answer early: ${reason ?? 'no reason given'}`);
    }
    yield { type, event };
  }
}

function httpCall(
  access: AwsAccess,
  { model, operation, body }: BedrockCall,
  { maximumRetries, timeoutMilliseconds }: Endpoint,
): HttpCall {
  const request = {
    method: 'POST',
    url: new URL(`${access.baseUrl}/model/${encodeURIComponent(model)}/${paths[operation]}`),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return {
    service: bedrock,
    ...request,
    // A signature is valid for minutes, and a later try needs its own.
    headersOfTry: () => signRequest(request, access, 'bedrock', new Date()),
    timeoutMilliseconds,
    maximumBytes,
    // A repeated call costs tokens and changes no state, so it is safe.
    repeatable: true,
    maximumRetries,
  };
}

/** Returns the error in the words of AWS's client, which Langflow shows. */
function refusal(access: AwsAccess, { operation }: BedrockCall, answer: HttpAnswer): ComponentError {
  const text = decodeText(answer);
  const code = answer.headers.get('x-amzn-errortype')?.split(':')[0] ?? String(answer.status);
  const reason = messageIn(text) || answer.statusText;
  const message = withoutSecrets(
    `An error occurred (${code}) when calling the ${operation} operation: ${reason}`,
    [access.secretAccessKey.reveal(), access.sessionToken?.reveal() ?? ''],
  );
  return new ComponentError(message, new ModelRefusal(answer.status, message));
}

function messageIn(text: string): string {
  try {
    const body = JSON.parse(text) as PythonValue;
    return textMember(body, 'message') || textMember(body, 'Message');
  } catch {
    return '';
  }
}

function parsed(text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch (error) {
    throw new ComponentError(`${bedrock} returned a response that is not JSON.`, error);
  }
}
