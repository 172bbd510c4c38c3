import { defineComponent, handle, text, isEmbeddingsHandle } from '@millrace/flow';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { embedTexts } from './calls/embed-texts';

/** A component that only embeds texts. */
const embedder = defineComponent({
  type: 'Embedder',
  displayName: 'Embedder',
  description: 'Embeds texts for a test.',
  inputs: { embedding: handle(), texts: text(), purpose: text({ default: 'document' }) },
  outputs: { vectors: { types: ['Data'] } },
  deterministic: true,
  run: async ({ embedding, texts, purpose }, context) => ({
    vectors: isEmbeddingsHandle(embedding)
      ? (
          await embedTexts(embedding, texts.split(' '), context, purpose === 'query' ? 'query' : 'document')
        ).map((vector) => [...vector])
      : null,
  }),
});

/** Embeds texts with a node's embedding model. */
export function embedWith(
  type: string,
  values: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
  purpose = 'document',
): Promise<RunUnderTest> {
  const document = flow(
    [node('Embeddings-e', type, values), node('Embedder-x', 'Embedder', { texts: 'one two one', purpose })],
    [edge('Embeddings-e', 'embeddings', 'Embedder-x', 'embedding')],
  );
  return runFlow(document, { show: 'Embedder-x', extraComponents: [embedder], ...options });
}

export interface EmbeddingsCase {
  /** Returns the node's values for the address of a model server (with `/v1`). */
  readonly values: (url: string) => Readonly<Record<string, unknown>>;
}

/** Describes the behavior of every component that configures an embedding model. */
export function describeEmbeddings(type: string, given: EmbeddingsCase): void {
  describe(`the embedding component ${type}`, () => {
    let server: ModelServerUnderTest;
    beforeAll(async () => {
      server = await startModelServerUnderTest();
    });
    afterAll(() => server.close());

    test('passes on a model that embeds texts in order', async () => {
      const { text: vectors } = await embedWith(type, given.values(server.url));
      expect(vectors).toEqual([
        [3, 111],
        [3, 116],
        [3, 111],
      ]);
      expect(server.requests[0]).toMatchObject({
        path: '/v1/embeddings',
        headers: { authorization: 'Bearer key-of-a-field' },
        body: { model: 'some-model', input: ['one', 'two', 'one'] },
      });
    });

    test('does not call the provider until used, and shows no key', async () => {
      const before = server.requests.length;
      const { result } = await runFlow(flow([node('Embeddings-e', type, given.values(server.url))]), {
        show: 'Embeddings-e',
      });
      expect(server.requests).toHaveLength(before);
      expect(JSON.stringify(result)).not.toContain('key-of-a-field');
    });
  });
}
