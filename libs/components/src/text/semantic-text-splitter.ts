import {
  ComponentError,
  data,
  defineComponent,
  dropdown,
  float,
  handle,
  integer,
  isEmbeddingsHandle,
  listOf,
  text,
} from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import { embedTexts } from '../embeddings/calls/embed-texts';
import { cosineSimilarity } from '../integrations/vector-stores/maximal-marginal-relevance';
import { searchText } from '../parsing/compile-pattern';
import { runInSlices } from '../parsing/run-in-slices';
import { breakpoint } from './splitting/semantic-breakpoint';
import type { Breakpoint } from './splitting/semantic-breakpoint';

/** Each sentence is compared with those around it. */
const maximumCharacters = 50_000_000;

/** The end of a sentence: white space after a mark. */
const sentenceEnd = /(?<=[.?!])\s+/;

export default defineComponent({
  type: 'SemanticTextSplitter',
  aliases: ['SemanticTextSplitterComponent'],
  displayName: 'Semantic Text Splitter',
  description: 'Splits texts where the meaning of their sentences changes.',
  inputs: {
    data_inputs: listOf(data({ displayName: 'Data Inputs', required: true })),
    embeddings: handle({ displayName: 'Embeddings', required: true, inputTypes: ['Embeddings'] }),
    breakpoint_threshold_type: dropdown({
      displayName: 'Breakpoint Threshold Type',
      options: ['percentile', 'standard_deviation', 'interquartile'],
      default: 'percentile',
    }),
    breakpoint_threshold_amount: float({ displayName: 'Breakpoint Threshold Amount', default: 0.5 }),
    number_of_chunks: integer({ displayName: 'Number of Chunks' }),
    sentence_split_regex: text({ displayName: 'Sentence Split Regex', advanced: true }),
    buffer_size: integer({ displayName: 'Buffer Size', default: 0, advanced: true }),
  },
  outputs: { chunks: { types: ['Data', 'JSON'], displayName: 'Chunks', method: 'split_text' } },
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const { data_inputs, embeddings } = inputs;
    const fail = (reason: string): ComponentError =>
      new ComponentError(`An error occurred during semantic splitting: ${reason}`, null, {
        kind: 'RuntimeError',
      });
    if (!isEmbeddingsHandle(embeddings)) {
      throw fail('An embeddings model is required for SemanticTextSplitter.');
    }
    if (data_inputs.length === 0) throw fail('Data inputs cannot be empty.');
    const rule: Breakpoint = {
      type: inputs.breakpoint_threshold_type,
      amount: inputs.breakpoint_threshold_amount,
      chunks: inputs.number_of_chunks,
    };
    const chunks: Data[] = [];
    for (const item of data_inputs) {
      const others = Object.entries(item.data).filter(([name]) => name !== item.textKey);
      const sentences = await sentencesOf(
        item.text === null ? '' : str(item.text),
        inputs.sentence_split_regex,
        context,
      );
      for (const chunk of await group(sentences, { embeddings, rule, buffer: inputs.buffer_size }, context)) {
        chunks.push(new Data({ ...Object.fromEntries(others), text: chunk }));
      }
    }
    context.status(chunks);
    return { chunks };
  },
});

async function sentencesOf(
  content: string,
  pattern: string,
  { signal }: ComponentContext,
): Promise<readonly string[]> {
  if (pattern === '') return content.split(sentenceEnd);
  return runInSlices(
    searchText(content, pattern, (regex) => regex.split(content)),
    signal,
  );
}

/** Joins neighbouring sentences as long as the distance of their meanings is below the breakpoint. */
async function group(
  sentences: readonly string[],
  {
    embeddings,
    rule,
    buffer,
  }: { readonly embeddings: EmbeddingsHandle; readonly rule: Breakpoint; readonly buffer: number },
  context: ComponentContext,
): Promise<readonly string[]> {
  if (sentences.length <= 1) return sentences;
  const around = Math.max(0, buffer);
  const characters = sentences.reduce((sum, { length }) => sum + length, 0);
  if (characters * Math.min(2 * around + 1, sentences.length) > maximumCharacters) {
    throw new ComponentError(
      `The sentences with those around them would hold more than ${maximumCharacters} characters.`,
    );
  }
  const windows = sentences.map((_, index) =>
    sentences.slice(Math.max(0, index - around), index + around + 1).join(' '),
  );
  const vectors = await embedTexts(embeddings, windows, context);
  const distances = vectors
    .slice(1)
    .map((vector, index) => 1 - cosineSimilarity(vectors[index] ?? [], vector));
  const threshold = breakpoint(distances, rule);
  const chunks: string[] = [];
  let from = 0;
  for (const [index, distance] of distances.entries()) {
    if (distance <= threshold) continue;
    chunks.push(sentences.slice(from, index + 1).join(' '));
    from = index + 1;
  }
  return [...chunks, sentences.slice(from).join(' ')];
}
