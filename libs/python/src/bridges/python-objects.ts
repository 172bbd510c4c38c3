import { ApiKey, ChatMemory, embeddingsHandle, memoryHandle } from '@millrace/components';
import type { Vector } from '@millrace/components';
import { ComponentError, isDict, toolResult } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type {
  ComponentContext,
  EmbeddingsHandle,
  PartHandle,
  RetrieverHandle,
  ToolHandle,
} from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { objectOf, plainOf, textOf } from '../frames/members';
import type { PythonObjectUse } from './python-object-use';

/** Texts of one call: their vectors are in one frame. */
const maximumTexts = 256;

type Decode = (value: PythonValue) => PythonValue;

/** Returns a tool of Python as a tool that native agents call. */
export function pythonTool(use: PythonObjectUse, description: PythonObject, decode: Decode): ToolHandle {
  return {
    kind: 'tool',
    name: textOf(description, 'name')
      .replace(/[^a-zA-Z0-9_-]/g, '-')
      .slice(0, 64),
    description: textOf(description, 'description'),
    parameters: plainOf(objectOf(description, 'parameters')) as Readonly<Record<string, unknown>>,
    call: async (callArguments) =>
      toolResult(decode(await use.call('tool.call', { arguments: callArguments }, null))),
  };
}

/** Returns an embedding model of Python as one that native vector stores call. */
export function pythonEmbeddings(use: PythonObjectUse, description: PythonObject): EmbeddingsHandle {
  return embeddingsHandle({
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
    dimensions: null,
    batchSize: maximumTexts,
    scope: {},
    protocol: {
      maximumTexts,
      embed: async (_settings, texts, purpose, context) =>
        vectorsOf(await use.call('embed', { texts, purpose }, context)),
    },
  });
}

/** Returns a retriever or vector store of Python. */
export function pythonRetriever(use: PythonObjectUse, decode: Decode): RetrieverHandle {
  return {
    kind: 'retriever',
    search: async (query) => {
      if (query.trim() === '') return [];
      const found = decode(await use.call('retriever.search', { query }, null));
      return Array.isArray(found)
        ? (found as readonly PythonValue[]).filter((item) => item instanceof Data)
        : [];
    },
  };
}

/** Returns a chat history of Python as a chat memory. */
export function pythonHistory(use: PythonObjectUse): PartHandle {
  return memoryHandle(new PythonHistory(use));
}

/** Returns an object that only components in Python can use. */
export function pythonObject(description: PythonObject): PartHandle {
  return { kind: 'part', name: textOf(description, 'type') || 'Python object', content: { python: true } };
}

/** The session of a history is chosen in Python, where it was made. */
class PythonHistory extends ChatMemory {
  readonly #use: PythonObjectUse;

  constructor(use: PythonObjectUse) {
    super();
    this.#use = use;
  }

  async read(sessionId: string, context: ComponentContext): Promise<readonly Message[]> {
    const records = await this.#use.call('history.read', {}, context);
    const list = Array.isArray(records) ? (records as readonly PythonValue[]) : [];
    return list.filter((record) => isDict(record)).map((record) => messageOf(record, sessionId));
  }

  async add(_sessionId: string, { text, fields }: Message, context: ComponentContext): Promise<void> {
    const sender = fields.sender === 'User' ? 'User' : 'Machine';
    await this.#use.call('history.add', { sender, text }, context);
  }
}

function messageOf(record: PythonObject, sessionId: string): Message {
  const isUser = textOf(record, 'sender') === 'User';
  return new Message({
    text: textOf(record, 'text'),
    sender: isUser ? 'User' : 'Machine',
    senderName: isUser ? 'User' : 'AI',
    sessionId,
  });
}

function vectorsOf(value: PythonValue): readonly Vector[] {
  const vectors = plainOf(value);
  if (!Array.isArray(vectors) || !vectors.every(isVector)) {
    throw new ComponentError('The embedding model in Python returned something other than vectors.');
  }
  return vectors;
}

function isVector(value: unknown): value is Vector {
  return Array.isArray(value) && value.every((number) => typeof number === 'number');
}
