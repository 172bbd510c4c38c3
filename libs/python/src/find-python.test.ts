import { findPython } from './find-python';
import { fakePython } from './testing/fake-python.fixture';

test('a path without an interpreter has a reason', async () => {
  expect(await findPython('/nowhere/python')).toMatchObject({
    reason: expect.stringContaining('cannot be run'),
  });
});

test.each([
  ['3.9.1 1.13.0', 'is Python 3.9.1; 3.10 or newer is needed.'],
  ['3.12.0 ', 'does not contain lfx.'],
])('an interpreter that answers "%s" has a reason', async (answer, reason) => {
  const { path, remove } = fakePython({ answer });
  try {
    expect(await findPython(path)).toEqual({ path, reason: expect.stringContaining(reason) });
  } finally {
    remove();
  }
});

test('an interpreter with lfx is found', async () => {
  const { path, remove } = fakePython({ answer: '3.12.4 1.13.0' });
  try {
    expect(await findPython(path)).toEqual({ path, version: '3.12.4', lfx: '1.13.0' });
  } finally {
    remove();
  }
});
