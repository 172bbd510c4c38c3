import { request } from 'node:http';
import { goodKey } from './fill-in.mjs';

/** How long the vectors are that the fakes of these embeddings make; those of the model server otherwise. */
const dimensions = [
  [/Google/, 3],
  [/./, 32],
];

/** Makes the collections of Astra DB that a flow searches and its author once made. */
export async function prepareStores({ vertices }) {
  for (const vertex of vertices) {
    const name = vertex.fields.get('collection_name')?.value;
    if (!/^Astra/.test(vertex.type) || typeof name !== 'string' || name === '') continue;
    const embedding = vertex.incoming.find(({ targetField }) => /embedding/.test(targetField));
    await createCollection(name, embedding === undefined ? null : vertices[embedding.source].type);
  }
}

function createCollection(name, embedding) {
  const vector =
    embedding === null
      ? { service: { provider: 'nvidia', modelName: 'NV-Embed-QA' } }
      : { dimension: dimensions.find(([type]) => type.test(embedding))[1], metric: 'cosine' };
  const body = JSON.stringify({ createCollection: { name, options: { vector } } });
  const headers = {
    host: 'table-us-east-2.apps.astra.datastax.com',
    token: goodKey,
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: 80,
      path: '/api/json/v1/default_keyspace',
      method: 'POST',
      headers,
    };
    const asked = request(options, (answer) => answer.resume().on('end', resolve));
    asked.on('error', reject).end(body);
  });
}
