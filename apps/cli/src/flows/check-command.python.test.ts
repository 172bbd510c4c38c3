import { dirname, join } from 'node:path';
import { cli } from '../testing/test-shell';

const wordCount = join(__dirname, '../../../../examples/python/word-count.json');
const folder = dirname(dirname(process.env['TEST_PYTHON'] ?? ''));

test.each([
  [{}, 0, 'python'],
  [{ HOST: '0.0.0.0' }, 1, 'needs_approval'],
  [{ MILLRACE_PYTHON: 'approved' }, 1, 'needs_approval'],
])('with %j, flows check --python exits with %d and reports %s', async (environment, code, status) => {
  const words = ['flows', 'check', '--python', '--folder', folder, wordCount, '--json'];
  const checked = await cli(words, { environment });
  expect(checked.code).toBe(code);
  expect(checked.json()).toMatchObject([
    { vertices: expect.arrayContaining([expect.objectContaining({ status })]) },
  ]);
});
