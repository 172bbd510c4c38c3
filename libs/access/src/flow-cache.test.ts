import type { FlowReference } from '@millrace/runs';
import { FlowCache } from './index';

const flow: FlowReference = {
  id: 'flow',
  userId: 'owner',
  version: 1,
  name: 'name',
  projectId: null,
  pauseReason: null,
  isEmpty: false,
  pool: 'default',
  needsPython: true,
  settings: {},
};

function cacheOf(found: FlowReference, pythonPool: string | null): FlowCache {
  return new FlowCache({ flows: { resolve: async () => found }, ttlMilliseconds: 5_000, pythonPool });
}

test('a flow that needs Python goes to the pool with Python, also when it is cached', async () => {
  const cache = cacheOf(flow, 'python');
  expect(await cache.find('owner', 'flow')).toMatchObject({ pool: 'python', needsPython: true });
  expect(cache.find('owner', 'flow')).toMatchObject({ pool: 'python' });
});

test.each([
  ['without a pool with Python', flow, null, 'default'],
  ['of native components', { ...flow, needsPython: false }, 'python', 'default'],
  ['that names its pool', { ...flow, pool: 'gpu', settings: { pool: 'gpu' } }, 'python', 'gpu'],
  ['that names the default pool', { ...flow, settings: { pool: 'default' } }, 'python', 'default'],
])('a flow %s keeps its pool', async (_which, found, pythonPool, pool) => {
  expect(await cacheOf(found, pythonPool).find('owner', 'flow')).toMatchObject({ pool });
});
