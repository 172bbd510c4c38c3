import type { FlowCache } from '@millrace/access';
import { chatAnswerSchema, modelListSchema, modelSchema } from './chat-schemas';
import { chatBodySchema } from './chat-body';
import type { RunResponse } from '@millrace/flow';
import { sessionFor } from '../../end-users/end-user-sessions';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { HttpError } from '@millrace/http';
import type { BoundCallers } from '../../authentication/bound-callers';
import type { FlowStore, FlowSummary } from '@millrace/runs';
import { requireBody } from '../../http/validation/require-body';
import { forOpenAiClients } from '../../http/routing/access';
import { pathParameter, askedBy } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { headerVariables, requestedDeadlineSeconds } from '../../http/run-headers';
import { sendJson } from '../../http/answers/send-json';
import { json, jsonBody } from '../../http/routing/operation';
import { endingError } from '../../run-answers/ending-error';
import { flowWithoutData } from '../../run-answers/flow-without-data';
import type { RunAnswer } from '../../run-answers/run-answer';
import { startStreamed } from '../../run-answers/start-streamed';
import type { RunOrder } from '../../runs/run-order';
import { deadlineHeader, RUN_ERRORS } from '../runs/run-operations';
import { chatCompletion, ChatStream } from './chat-answer';
import { chatRequest } from './chat-request';
import type { ChatRequest } from './chat-request';

const MAXIMUM_MODELS = 1_000;

export interface ChatRoutesOptions {
  readonly streams: KeyedStreams;
  readonly flows: FlowStore;
  readonly cache: FlowCache;
  readonly answer: RunAnswer;
  readonly callers: Pick<BoundCallers, 'reached'>;
}

/** Routes that show flows as models of OpenAI's interface, and run them as Chat Completions. */
export function chatRoutes({ flows, cache, answer, streams, callers }: ChatRoutesOptions): readonly Route[] {
  const listModels = async ({ principal, response }: KeyedCall) => {
    const all = await flows.listSummaries(principal.userId, MAXIMUM_MODELS);
    const found = await callers.reached(principal, all);
    sendJson(response, 200, { object: 'list', data: found.map(modelOf) });
  };
  const readModel = async ({ principal, request, response }: KeyedCall) => {
    const name = pathParameter(request, 'model');
    const found = await flows.findSummary(principal.userId, name);
    if (!found) throw unknownModel(name);
    sendJson(response, 200, modelOf(found));
  };
  const complete = async (call: KeyedCall) => {
    const { request, principal, response } = call;
    const session = request.headers['x-session-id'];
    const wanted = chatRequest(requireBody(call.body), typeof session === 'string' ? session : undefined);
    const flow = await cache.find(principal.userId, wanted.model);
    if (!flow) throw unknownModel(wanted.model);
    if (flow.isEmpty) throw flowWithoutData(flow.id, 'advanced');
    const order: RunOrder = {
      userId: principal.userId,
      flow,
      request: {
        form: 'simple',
        inputs: [{ components: [], inputValue: wanted.input, type: 'chat' }],
        outputs: { by: 'type', type: 'chat' },
        tweaks: {},
        stream: wanted.stream,
        sessionId: sessionFor(call.endUser, wanted.sessionId),
        globalVariables: headerVariables(request.headers),
      },
      ...askedBy(response),
      deadlineSeconds: requestedDeadlineSeconds(request.headers),
      onEvents: null,
    };
    if (wanted.stream) streams.trackRun(principal, flow.id, call.response);
    return wanted.stream ? streamed(answer, call, wanted, order) : whole(answer, call, wanted, order);
  };
  const base = { access: forOpenAiClients, errors: 'openai' } as const;
  return [
    {
      ...base,
      method: 'GET',
      path: '/v1/models',
      operation: {
        summary: 'List the flows as models of OpenAI, up to 1,000 by name',
        answers: { 200: json('The models', modelListSchema) },
      },
      handle: listModels,
    },
    {
      ...base,
      method: 'GET',
      path: '/v1/models/:model',
      operation: {
        summary: 'Read a flow as a model of OpenAI',
        answers: { 200: json('The model', modelSchema) },
        errors: ['flow_unknown'],
      },
      handle: readModel,
    },
    {
      ...base,
      method: 'POST',
      path: '/v1/chat/completions',
      body: 'json',
      operation: {
        summary: "Run a flow in the shape of OpenAI's Chat Completions",
        headers: {
          ...deadlineHeader,
          'x-session-id': 'The session of the run; a new one for each request unless given.',
        },
        body: jsonBody(chatBodySchema),
        answers: {
          200: {
            description: 'The completion, whole or as chunks',
            content: { 'application/json': chatAnswerSchema, 'text/event-stream': { type: 'string' } },
          },
        },
        errors: RUN_ERRORS,
      },
      handle: complete,
    },
  ];
}

async function whole(
  answer: RunAnswer,
  { response }: KeyedCall,
  wanted: ChatRequest,
  order: RunOrder,
): Promise<void> {
  const run = await answer.start(response, order, null);
  const ending = await run.ended;
  response.setHeader('x-run-id', run.options.runId);
  if (ending.kind !== 'succeeded') throw endingError(ending);
  sendJson(response, 200, chatCompletion(wanted, JSON.parse(ending.body.toString()) as RunResponse));
}

async function streamed(
  answer: RunAnswer,
  { response }: KeyedCall,
  wanted: ChatRequest,
  order: RunOrder,
): Promise<void> {
  const stream = new ChatStream(response, wanted);
  const run = await startStreamed(answer, response, order, stream);
  const ending = await run.ended;
  if (ending.kind === 'succeeded') stream.succeed(JSON.parse(ending.body.toString()) as RunResponse);
  else stream.fail(endingError(ending));
}

function modelOf({ id, endpointName, createdAt }: FlowSummary): Record<string, unknown> {
  const created = Math.floor(createdAt.getTime() / 1_000);
  return { id: endpointName ?? id, object: 'model', created, owned_by: 'millrace' };
}

function unknownModel(name: string): HttpError {
  return new HttpError('flow_unknown', `Flow identifier ${name} not found`);
}
