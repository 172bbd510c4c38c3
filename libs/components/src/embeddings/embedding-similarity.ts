import { ComponentError, data, defineComponent, dropdown, listOf } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { numberList } from '../integrations/vector-stores/number-list';
import { cosineSimilarity } from '../integrations/vector-stores/maximal-marginal-relevance';
import type { Vector } from '../integrations/models/embedding-protocol';
import { floatOf } from './float-list';

interface Metric {
  readonly key: string;
  readonly measure: (one: Vector, other: Vector) => number;
}

const metrics: Readonly<Record<string, Metric>> = {
  'Cosine Similarity': { key: 'cosine_similarity', measure: cosineSimilarity },
  'Euclidean Distance': {
    key: 'euclidean_distance',
    measure: (one, other) => Math.hypot(...differences(one, other)),
  },
  'Manhattan Distance': {
    key: 'manhattan_distance',
    measure: (one, other) =>
      differences(one, other).reduce((sum, difference) => sum + Math.abs(difference), 0),
  },
};

export default defineComponent({
  type: 'EmbeddingSimilarityComponent',
  displayName: 'Embedding Similarity',
  description: 'Computes the similarity of two vectors.',
  inputs: {
    embedding_vectors: listOf(data({ displayName: 'Embedding Vectors' })),
    similarity_metric: dropdown({
      displayName: 'Similarity Metric',
      options: Object.keys(metrics),
      default: 'Cosine Similarity',
    }),
  },
  outputs: {
    similarity_data: {
      types: ['Data', 'JSON'],
      displayName: 'Similarity Data',
      method: 'compute_similarity',
    },
  },
  deterministic: true,
  run: ({ embedding_vectors: items, similarity_metric }) => {
    if (items.length !== 2) throw new ComponentError('Exactly two embedding vectors are required.');
    const [first = null, second = null] = items.map((item) => item.data['embeddings'] ?? null);
    const [one, other] = [numberList(first), numberList(second)];
    if (one === null || other === null)
      throw new ComponentError('The data contains no vector under "embeddings".');
    const metric = metrics[similarity_metric];
    if (metric === undefined) throw new ComponentError(`Unknown similarity metric "${similarity_metric}".`);
    const score =
      one.length === other.length
        ? { [metric.key]: floatOf(metric.measure(one, other)) }
        : { error: 'Embeddings must have the same dimensions.' };
    return {
      similarity_data: new Data(
        { embedding_1: first, embedding_2: second, similarity_score: score },
        { textKey: 'similarity_score' },
      ),
    };
  },
});

function differences(one: Vector, other: Vector): readonly number[] {
  return one.map((value, index) => value - (other[index] ?? 0));
}
