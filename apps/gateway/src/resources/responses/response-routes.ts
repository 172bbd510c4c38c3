import type { FlowCache } from '@millrace/access';
import { openResponseSchema } from './open-response-schema';
import { responseBodySchema } from './response-body';
import type { RunRequest, RunResponse } from '@millrace/flow';
import { sessionFor } from '../../end-users/end-user-sessions';
import type { EndUser } from '../../end-users/end-user-sessions';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { HttpError } from '@millrace/http';
import type { ErrorCode } from '@millrace/http';
import type { RequestLog } from '../../http/request-log';
import { requireBody } from '../../http/validation/require-body';
import { forOpenAiClients } from '../../http/routing/access';
import { askedBy } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { jsonBody } from '../../http/routing/operation';
import { responseFailure, responseObject } from './response-object';
import { responseRequest } from './response-request';
import type { ResponseRequest } from './response-request';
import { ResponseStream } from './response-stream';
import { headerVariables, requestedDeadlineSeconds } from '../../http/run-headers';
import type { RunAnswer } from '../../run-answers/run-answer';
import { startStreamed } from '../../run-answers/start-streamed';
import { endingError } from '../../run-answers/ending-error';
import { failureDetail } from '../../run-answers/run-failure-error';
import type { RunOrder } from '../../runs/run-order';
import type { RunEnding } from '../../runs/pending-run';
import { deadlineHeader, RUN_ERRORS } from '../runs/run-operations';

export interface ResponseRoutesOptions {
  readonly streams: KeyedStreams;
  readonly flows: FlowCache;
  readonly traits: FlowTraitsCache;
  readonly answer: RunAnswer;
  readonly requests: RequestLog;
}

/** What a flow has that can be called as a model. */
const CHAT_TYPES = ['ChatInput', 'ChatOutput'] as const;

type Failed = Exclude<RunEnding, { kind: 'succeeded' }>;

/** Route that runs flows as models of OpenAI's Responses. */
export function responseRoutes({
  flows,
  traits,
  answer,
  streams,
  requests,
}: ResponseRoutesOptions): readonly Route[] {
  const respond = async (call: KeyedCall) => {
    const { request, body, principal } = call;
    const { userId } = principal;
    requireBody(body);
    const wanted = responseRequest(body);
    if (wanted.hasTools) {
      return refuse(call, 'invalid_request', 'Tools are not supported yet', 'tools_not_supported');
    }
    const flow = await flows.find(userId, wanted.model);
    if (!flow)
      return refuse(call, 'flow_unknown', `Flow with id '${wanted.model}' not found`, 'flow_not_found');
    const { types } = await traits.of(flow.id, flow.version);
    const lacking = CHAT_TYPES.find((type) => !types.has(type));
    if (lacking !== undefined) {
      const message = `Flow must have a ${lacking} component to be compatible with OpenAI Responses API`;
      return refuse(call, 'invalid_request', message, 'invalid_flow_request');
    }
    const order = {
      userId,
      flow,
      request: runRequest(wanted, call.endUser, headerVariables(request.headers)),
      ...askedBy(call.response),
      deadlineSeconds: requestedDeadlineSeconds(request.headers),
      onEvents: null,
    };
    if (wanted.stream) streams.trackRun(principal, flow.id, call.response);
    return wanted.stream ? streamed(answer, call, wanted, order) : whole(answer, call, wanted, order);
  };
  /** Answers errors that Langflow sends with status 200 and separate codes. */
  const refuse = ({ response }: KeyedCall, code: ErrorCode, message: string, langflowCode: string) => {
    requests.logRefusal(response, new HttpError(code, message), 200);
    sendJson(response, 200, responseFailure(message, 'invalid_request_error', langflowCode));
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/responses',
      access: forOpenAiClients,
      body: 'json',
      operation: {
        summary: "Run a flow in the shape of OpenAI's Responses",
        headers: deadlineHeader,
        body: jsonBody(responseBodySchema),
        answers: {
          200: {
            description: 'The response, its chunks, or an error',
            content: { 'application/json': openResponseSchema, 'text/event-stream': { type: 'string' } },
          },
        },
        errors: RUN_ERRORS,
      },
      handle: respond,
    },
  ];
}

async function whole(
  answer: RunAnswer,
  call: KeyedCall,
  wanted: ResponseRequest,
  order: RunOrder,
): Promise<void> {
  const { response } = call;
  const run = await answer.start(response, order, null);
  const ending = await run.ended;
  response.setHeader('x-run-id', run.options.runId);
  if (ending.kind === 'succeeded') {
    return sendJson(response, 200, responseObject(wanted, JSON.parse(ending.body.toString()) as RunResponse));
  }
  // Langflow sends the error of a run as the text of its exception.
  const message = `500: ${failureDetail(failureOf(ending).message, 'simple')}`;
  sendJson(response, 200, responseFailure(message, 'processing_error'));
}

async function streamed(
  answer: RunAnswer,
  { response }: KeyedCall,
  wanted: ResponseRequest,
  order: RunOrder,
): Promise<void> {
  const stream = new ResponseStream(response, wanted, () => undefined);
  const run = await startStreamed(answer, response, order, stream);
  const ending = await run.ended;
  if (ending.kind === 'succeeded') return stream.succeed(JSON.parse(ending.body.toString()) as RunResponse);
  stream.fail(isFlowError(ending) ? failureOf(ending).message : endingError(ending).message);
}

/** Returns the failure of a component. Throws every other error, so that it becomes a status. */
function failureOf(ending: Failed): { readonly message: string } {
  if (ending.kind === 'failed' && isFlowError(ending)) return ending.failure;
  throw endingError(ending);
}

function isFlowError(ending: Failed): boolean {
  return ending.kind === 'failed' && endingError(ending).code === 'component_failed';
}

function runRequest(
  { id, input, stream }: ResponseRequest,
  endUser: EndUser,
  globalVariables: Readonly<Record<string, string>>,
): RunRequest {
  return {
    form: 'simple',
    inputs: [{ components: [], inputValue: input, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream,
    sessionId: sessionFor(endUser, id),
    globalVariables,
  };
}
