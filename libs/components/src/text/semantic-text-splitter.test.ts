import { defineComponent, integer } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { serviceForEachTest, startFakeService } from '../integrations/http/fake-service.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const source = defineComponent({
  type: 'Sentences',
  displayName: 'Sentences',
  description: 'Gives a text of four sentences.',
  inputs: { copies: integer({ default: 1 }) },
  outputs: { given: { types: ['Data'] } },
  deterministic: true,
  run: ({ copies }) => ({
    given: [
      new Data({ text: 'The cat sat.  The cats sat! Hydrogen boils? Oxygen boils.'.repeat(copies), page: 1 }),
      new Data({ text: 'One sentence', page: 2 }),
    ],
  }),
});

const letters = serviceForEachTest(() => startFakeService(createLettersHandler()));

const split = (
  values: Readonly<Record<string, unknown>> = {},
  inputs: readonly string[] = ['embeddings', 'data_inputs'],
  copies = 1,
) => {
  const embedding = {
    model: 'letters',
    openai_api_base: `${letters.url}/v1`,
    openai_api_key: 'embedding-key',
  };
  return runFlow(
    flow(
      [
        node('Embeddings-e', 'OpenAIEmbeddings', embedding),
        node('Sentences-d', 'Sentences', { copies }),
        node('Splitter-s', 'SemanticTextSplitter', { number_of_chunks: 2, ...values }),
      ],
      [
        edge('Embeddings-e', 'embeddings', 'Splitter-s', 'embeddings'),
        edge('Sentences-d', 'given', 'Splitter-s', 'data_inputs'),
      ].filter((_, index) => inputs.includes(['embeddings', 'data_inputs'][index] ?? '')),
    ),
    { show: 'Splitter-s', extraComponents: [source] },
  );
};
const textsOf = (text: unknown): readonly string[] =>
  (text as { readonly data: { readonly text: string } }[]).map(({ data }) => data.text);

test('splits where the meaning changes most, and keeps the other fields', async () => {
  const { text } = await split();
  expect(text).toMatchObject([
    { data: { text: 'The cat sat. The cats sat!', page: 1 } },
    { data: { text: 'Hydrogen boils? Oxygen boils.', page: 1 } },
    { data: { text: 'One sentence', page: 2 } },
  ]);
  expect(letters.asked).toHaveLength(1);
});

test('splits by a distance when no number of chunks is given', async () => {
  const rule = { number_of_chunks: null, breakpoint_threshold_type: 'percentile' };
  expect(textsOf((await split({ ...rule, breakpoint_threshold_amount: 100 })).text)).toHaveLength(2);
  expect(textsOf((await split({ ...rule, breakpoint_threshold_amount: 90 })).text)).toHaveLength(3);
});

test('splits into sentences at the matches of a pattern', async () => {
  const { text } = await split({ sentence_split_regex: '(?<=!) ', buffer_size: 1, number_of_chunks: 9 });
  expect(textsOf(text).slice(0, -1).join('|')).toBe(
    'The cat sat.  The cats sat! Hydrogen boils? Oxygen boils.',
  );
});

test('needs a model and data', async () => {
  expect(await failureOf(split({}, ['data_inputs']))).toContain(
    'An error occurred during semantic splitting: An embeddings model is required for SemanticTextSplitter.',
  );
  expect(await failureOf(split({}, ['embeddings']))).toContain('Data inputs');
  await expect(split({}, ['data_inputs'])).rejects.toMatchObject({ cause: { kind: 'RuntimeError' } });
});

test('bounds the sentences around each sentence', async () => {
  expect(await failureOf(split({ buffer_size: 1_000_000 }, undefined, 1000))).toContain(
    'The sentences with those around them would hold more than 50000000 characters.',
  );
  expect(letters.asked).toEqual([]);
});
