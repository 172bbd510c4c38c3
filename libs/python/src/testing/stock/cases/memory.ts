import { PythonFloat } from '@millrace/python-text';
import { casesOf, data, message } from '../component-case';

const session = {
  sessionId: 'session-1',
  timestamp: '2026-01-02 03:04:05.000006 UTC',
  flowId: 'flow-1',
} as const;
const history = [
  message('first', { ...session, id: 'm1' }),
  message('second', { ...session, sender: 'Machine', senderName: 'AI', id: 'm2' }),
  message('third', { ...session, sender: 'User', senderName: 'Bob', id: 'm3' }),
];

export const memory = casesOf('Memory', [
  ['all messages', {}, {}, { history }],
  ['one message', { n_messages: 1 }, {}, { history }],
  ['no messages', { n_messages: 0 }, {}, { history }],
  ['descending', { order: 'Descending' }, {}, { history }],
  ['of users', { sender_type: 'User' }, {}, { history }],
  ['of machines', { sender_type: 'Machine' }, {}, { history }],
  ['of a sender', { sender_name: 'Bob' }, {}, { history }],
  ['a template', { template: '{sender}> {text}' }, {}, { history }],
  ['an empty history', {}, {}, { history: [] }],
  ['two of three', { n_messages: 2, order: 'Descending' }, {}, { history }],
  ['stores a text', { mode: 'Store', message: 'new', sender: 'User', sender_name: 'Ann' }, {}, { history }],
  ['stores a message', { mode: 'Store' }, { message: message('given', session) }, { history }],
  [
    'stores as a machine',
    { mode: 'Store', message: 'new', sender_type: 'Machine', sender: 'Machine', sender_name: 'AI' },
    {},
    { history },
  ],
]);

export const storeMessage = casesOf('StoreMessage', [
  ['a text', { message: 'x', sender: 'User', sender_name: 'Ann' }],
  ['a message', {}, { message: message('m', session) }],
  ['without a sender', { message: 'x' }],
  ['another session', { message: 'x', sender: 'Machine', sender_name: 'AI', session_id: 'other' }],
]);

export const embeddingSimilarity = casesOf('EmbeddingSimilarityComponent', [
  ...(['Cosine Similarity', 'Euclidean Distance', 'Manhattan Distance'] as const).map(
    (metric) =>
      [
        metric,
        { similarity_metric: metric },
        { embedding_vectors: [data({ embeddings: [1.5, 0.5] }), data({ embeddings: [1.25, 2.5] })] },
      ] as const,
  ),
  [
    'other lengths',
    {},
    { embedding_vectors: [data({ embeddings: [1.0] }), data({ embeddings: [1.0, 1.0] })] },
  ],
  ['one vector', {}, { embedding_vectors: [data({ embeddings: [1.0] })] }],
  [
    'zero vectors',
    {},
    { embedding_vectors: [data({ embeddings: [0.0, 0.0] }), data({ embeddings: [0.0, 1.0] })] },
    {
      difference: {
        at: 'outputs.similarity_data.$data.data.similarity_score.cosine_similarity',
        native: new PythonFloat(0),
        python: Number.NaN,
        reason: 'The angle of a zero vector is no number; a result without NaN can be JSON.',
      },
    },
  ],
]);
