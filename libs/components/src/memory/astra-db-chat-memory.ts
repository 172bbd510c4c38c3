import { defineComponent, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Message, PythonObject, PythonValue } from '@millrace/python-text';
import { objectsMember, textMember } from '../integrations/http/json-members';
import { sendAstraCommand } from '../integrations/astra/astra-command';
import { AstraError } from '../integrations/astra/astra-error';
import { resolveAstraAccess } from '../integrations/astra/astra-access';
import type { AstraAccess } from '../integrations/astra/astra-access';
import { numberOf } from '../integrations/vector-stores/number-list';
import { ChatMemory, memoryHandle } from './messages/chat-memory';
import { readChatRecord, writeChatRecord } from './messages/chat-record';

/** The maximum number of pages that are read of a session; Astra returns 20 documents on a page. */
const maximumPages = 50;

export default defineComponent({
  type: 'AstraDBChatMemory',
  displayName: 'Astra DB Chat Memory',
  description: 'Stores the messages of sessions in a collection of Astra DB.',
  inputs: {
    token: secret({ displayName: 'Astra DB Application Token', required: true }),
    api_endpoint: secret({ displayName: 'API Endpoint', required: true }),
    collection_name: text({ displayName: 'Collection Name', plain: true, required: true }),
    namespace: text({ displayName: 'Namespace', plain: true, advanced: true }),
    session_id: text({ displayName: 'Session ID', advanced: true }),
  },
  outputs: { memory: { types: ['Memory'], displayName: 'Memory', tool: false } },
  deterministic: false,
  run: async ({ collection_name }, context) => ({
    memory: memoryHandle(new AstraChatMemory(await resolveAstraAccess(context), collection_name)),
  }),
});

/** One document for each message, in LangChain's format. */
class AstraChatMemory extends ChatMemory {
  readonly #access: AstraAccess;
  readonly #collection: string;

  constructor(access: AstraAccess, collection: string) {
    super();
    this.#access = access;
    this.#collection = collection;
  }

  async read(sessionId: string, context: ComponentContext): Promise<readonly Message[]> {
    const documents = await this.#documents(sessionId, context);
    return [...documents]
      .sort((a, b) => timeOf(a) - timeOf(b))
      .flatMap((document) => readChatRecord(textMember(document, 'body_blob'), sessionId) ?? []);
  }

  async add(sessionId: string, message: Message, context: ComponentContext): Promise<void> {
    const document = {
      timestamp: Date.now() / 1000,
      session_id: sessionId,
      body_blob: writeChatRecord(message),
    };
    try {
      await this.#send('insertOne', { document }, context);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#send('createCollection', { name: this.#collection }, context);
      await this.#send('insertOne', { document }, context);
    }
  }

  /** Returns the documents in no defined order; none when the collection does not exist yet. */
  async #documents(sessionId: string, context: ComponentContext): Promise<readonly PythonObject[]> {
    const documents: PythonObject[] = [];
    let pageState = '';
    for (let page = 0; page < maximumPages; page += 1) {
      const payload = {
        filter: { session_id: sessionId },
        projection: { timestamp: true, body_blob: true },
        ...(pageState === '' ? {} : { options: { pageState } }),
      };
      try {
        const answer = await this.#send('find', payload, context);
        documents.push(...objectsMember(answer, 'data', 'documents'));
        pageState = textMember(answer, 'data', 'nextPageState');
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
      if (pageState === '') break;
    }
    return documents;
  }

  #send(name: string, payload: PythonObject, context: ComponentContext): Promise<PythonValue> {
    const collection = name === 'createCollection' ? null : this.#collection;
    return sendAstraCommand(this.#access, { name, collection, payload }, context);
  }
}

function timeOf(document: PythonObject): number {
  return numberOf(document['timestamp'] ?? null) ?? 0;
}

function isMissing(error: unknown): boolean {
  return error instanceof AstraError && error.errorCodes.includes('COLLECTION_NOT_EXIST');
}
