import type { Database } from '@millrace/database';
import { ComponentError } from '@millrace/flow';
import { UserStore, VectorStore } from '@millrace/runs';
import { PythonFloat } from '@millrace/python-text';
import { openTestDatabase } from '../../testing/test-installation';
import { UserVectors } from './user-vectors';

let database: Database;
let vectors: UserVectors;

beforeAll(async () => {
  database = await openTestDatabase();
  const { id } = await new UserStore({ database }).ensureFirst();
  vectors = new UserVectors(new VectorStore({ database }), id, new AbortController().signal);
}, 60_000);
afterAll(() => database.close());

const document = {
  id: 'a',
  text: 'one',
  metadata: { z: new PythonFloat(1), a: ['é', null] },
  vector: [1, 0],
};

test('documents are returned with unchanged metadata, floats included', async () => {
  await vectors.write('c', [document, { ...document, id: 'b', metadata: { a: 2 }, vector: [0, 1] }]);
  expect(await vectors.list('c', 1)).toEqual([document]);
  const [match, ...others] = await vectors.search('c', {
    vector: [1, 0],
    limit: 5,
    where: { a: ['é', null] },
  });
  expect(match).toEqual({ document, similarity: 1 });
  expect(others).toEqual([]);
});

test('a vector of the wrong size is an error of the component', async () => {
  await vectors.write('d', [document]);
  const search = vectors.search('d', { vector: [1, 2, 3], limit: 1 });
  await expect(search).rejects.toBeInstanceOf(ComponentError);
  await expect(search).rejects.toThrow('holds vectors of 2 dimensions; one of 3 does not fit');
});
