import { ApiKey, chatModelHandle } from '@millrace/components';
import type { ChatAnswer, ChatModel, ChatProtocol, ChatRequest, ToolDefinition } from '@millrace/components';
import { isDict } from '@millrace/flow';
import type { ComponentContext, ModelHandle } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { listOf, memberOf, objectOf, textOf } from '../frames/members';
import { decodeUsage } from '../values/decode-message';
import type { PythonObjectUse } from './python-object-use';

/** Returns a model of Python as a model that native components call. */
export function pythonModel(use: PythonObjectUse, description: PythonObject): ModelHandle {
  const model: ChatModel = {
    provider: textOf(description, 'type') || 'Python',
    model: textOf(description, 'model'),
    baseUrl: '',
    // The key stays in Python, if there is one.
    apiKey: new ApiKey(''),
    keyHeader: null,
    headers: {},
    query: {},
    maximumRetries: 0,
    timeoutMilliseconds: 0,
    parameters: {},
    protocol: pythonChat(use),
  };
  return chatModelHandle(model);
}

function pythonChat(use: PythonObjectUse): ChatProtocol {
  return {
    parameters: () => ({}),
    complete: async (_chat, request, context) =>
      answerOf(await use.call('model.generate', requestFrame(request), context)),
    stream: (_chat, request, context) => stream(use, request, context),
  };
}

async function* stream(
  use: PythonObjectUse,
  request: ChatRequest,
  context: ComponentContext,
): AsyncGenerator<string, ChatAnswer, undefined> {
  const answering = use.stream('model.stream', requestFrame(request), context);
  for (;;) {
    const next = await answering.next();
    if (next.done === true) return answerOf(next.value);
    if (typeof next.value === 'string') yield next.value;
  }
}

/** A required shape is a tool that the model must call: LangChain's models have that in common. */
function requestFrame({ messages, tools, toolToCall, shape }: ChatRequest): PythonObject {
  const all =
    shape === undefined ? tools?.map(definitionOf) : [{ name: shape.name, parameters: shape.schema }];
  const chosen = shape === undefined ? toolToCall : shape.name;
  return {
    messages: messages as unknown as readonly PythonValue[],
    ...(all === undefined ? {} : { tools: all as unknown as readonly PythonValue[] }),
    ...(chosen === undefined ? {} : { toolToCall: chosen }),
  };
}

/** Agents pass their tools themselves; a tool as a value would become a reference. */
function definitionOf({ name, description = '', parameters }: ToolDefinition): ToolDefinition {
  return { name, description, parameters };
}

function answerOf(value: PythonValue): ChatAnswer {
  const answer = isDict(value) ? value : {};
  const usage = memberOf(answer, 'usage');
  return {
    text: textOf(answer, 'text'),
    toolCalls: listOf(answer, 'toolCalls')
      .filter((call) => isDict(call))
      .map((call) => ({
        id: textOf(call, 'id'),
        name: textOf(call, 'name'),
        argumentsText: textOf(call, 'argumentsText'),
      })),
    usage: usage === undefined || usage === null ? null : decodeUsage(objectOf(answer, 'usage')),
  };
}
