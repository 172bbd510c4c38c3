import { boolean, defineComponent, dropdown, integer, text } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { Message, PythonObject } from '@millrace/python-text';
import { embedTexts } from '../embeddings/calls/embed-texts';
import { knowledgeEmbedding } from './knowledge-bases/knowledge-embedding';
import { cosineSimilarity } from '../integrations/vector-stores/maximal-marginal-relevance';

/** The number of the session's messages that a query is compared with. */
const maximumMessages = 200;

export default defineComponent({
  type: 'MemoryBase',
  aliases: ['MemoryRetrievalComponent'],
  displayName: 'Memory Base',
  description: "Searches the messages of the run's session by similarity.",
  inputs: {
    memory_base: dropdown({ displayName: 'Memory Base', options: [] }),
    search_query: text({
      displayName: 'Search Query',
      description: 'Query used for semantic retrieval against the memory base.',
      tool: true,
    }),
    top_k: integer({ displayName: 'Top K Results', default: 5, advanced: true }),
    include_metadata: boolean({ displayName: 'Include Metadata', default: true, advanced: true }),
    filter_by_session: boolean({ displayName: 'Filter by Session', default: true, advanced: true }),
  },
  outputs: {
    retrieve_data: { types: ['DataFrame', 'Table'], displayName: 'Results', method: 'retrieve_memory' },
  },
  deterministic: false,
  readsSession: true,
  run: async ({ search_query, top_k, include_metadata }, context) => {
    const messages = (
      await context.readMessages({
        sessionId: context.run.sessionId,
        limit: maximumMessages,
        order: 'descending',
      })
    ).filter(
      ({ text: messageText }) => messageText.trim() !== '' && messageText.trim() !== search_query.trim(),
    );
    const maximumResults = Math.max(top_k, 0);
    const metadata = (message: Message): PythonObject => (include_metadata ? metadataOf(message) : {});
    if (search_query.trim() === '' || messages.length === 0) {
      const rows = messages.slice(0, maximumResults).map((one) => ({ content: one.text, ...metadata(one) }));
      return { retrieve_data: new DataFrame(rows) };
    }
    const [wanted = [], ...vectors] = await embedTexts(
      await knowledgeEmbedding('', context),
      [search_query, ...messages.map((message) => message.text)],
      context,
    );
    const rows = messages
      .map((message, index) => ({ message, similarity: cosineSimilarity(wanted, vectors[index] ?? []) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, maximumResults)
      .map(({ message, similarity }) => ({
        content: message.text,
        _score: -2 * (1 - similarity),
        ...metadata(message),
      }));
    return { retrieve_data: new DataFrame(rows) };
  },
});

function metadataOf({ fields }: Message): PythonObject {
  return {
    sender: fields.sender,
    sender_name: fields.senderName,
    session_id: fields.sessionId,
    timestamp: fields.timestamp,
  };
}
