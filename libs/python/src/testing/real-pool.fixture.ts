import type { PythonPool } from '../index';
import { firstOwner } from './python-flow.fixture';
import { openTestPool } from './test-pool.fixture';
import { testPython } from './test-python.fixture';

/** Imports of lfx on a busy machine. */
const startMilliseconds = 120_000;

/** Opens a pool of the Python worker for the tests of a file; the function returns it. */
export function realPool(): () => PythonPool {
  jest.setTimeout(startMilliseconds);
  let opened: PythonPool | null = null;
  beforeAll(async () => {
    opened = await openTestPool(testPython());
    await (await opened.lease(firstOwner, new AbortController().signal)).release();
  }, startMilliseconds);
  afterAll(() => opened?.close());
  return () => {
    if (opened === null) throw new Error('The pool is not open yet.');
    return opened;
  };
}
