import { firstOwner } from '../testing/python-flow.fixture';
import { fakePython } from '../testing/fake-python.fixture';
import { openTestPool } from '../testing/test-pool.fixture';

const fake = fakePython();
afterAll(() => fake.remove());
const signal = new AbortController().signal;

test.each(['required', 'partial'] as const)('with %s, an open process runs nothing', async (level) => {
  const pool = await openTestPool(fake.path, { seal: { level } });
  try {
    const refusal = 'lacks seccomp. To allow it, set MILLRACE_PYTHON_SEAL=off, for development';
    for (let lease = 0; lease < 2; lease += 1) {
      await expect(pool.lease(firstOwner, signal)).rejects.toMatchObject({
        code: 'component_failed',
        permanent: true,
        message: expect.stringContaining(refusal),
      });
    }
    expect(pool.state).toEqual({
      ready: false,
      lfx: 'fake',
      python: '3.11.0',
      seal: { level: 'open', layers: { seccomp: 'not available in the fake worker' }, missing: ['seccomp'] },
      failure: expect.stringContaining(refusal),
    });
  } finally {
    await pool.close();
  }
});

test('with off, an open process is enough', async () => {
  const pool = await openTestPool(fake.path);
  try {
    await (await pool.lease(firstOwner, signal)).release();
    expect(pool.state).toMatchObject({ ready: true, seal: { level: 'open', missing: [] }, failure: null });
  } finally {
    await pool.close();
  }
});

test('a lease that waits ends when the pool is closed', async () => {
  const pool = await openTestPool(fake.path, { maximumProcesses: 1 });
  const held = await pool.lease(firstOwner, signal);
  const waiting = pool.lease({ ...firstOwner, ownerId: 'owner-2' }, signal);
  await Promise.all([
    expect(waiting).rejects.toMatchObject({ permanent: false, message: 'Python is shutting down.' }),
    pool.close(),
  ]);
  await held.release();
});

test('a program that is no Python is the reason in the state and of a lease that ends', async () => {
  const none = fakePython({ answer: '3.12.0' });
  const pool = await openTestPool(none.path, { limits: { waitMilliseconds: 2_000 } });
  try {
    await expect(pool.lease(firstOwner, signal)).rejects.toMatchObject({
      permanent: false,
      message: expect.stringContaining('Python does not start: exit status 0'),
    });
    expect(pool.state).toMatchObject({ ready: false, failure: 'exit status 0' });
  } finally {
    await pool.close();
    none.remove();
  }
});
