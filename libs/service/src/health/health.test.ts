import { Health } from '../index';

test('a check fails when it does not answer in time or throws', async () => {
  const health = new Health();
  health.add('frozen', () => new Promise(() => undefined), { timeoutMilliseconds: 30 });
  health.add(
    'broken',
    () => {
      throw new Error('no');
    },
    { timeoutMilliseconds: 30 },
  );
  expect(await health.ready()).toMatchObject({
    ready: false,
    checks: {
      frozen: { ok: false, error: 'frozen did not answer within 30 ms' },
      broken: { ok: false, error: 'no' },
    },
  });
});

test('an optional check is reported but does not affect readiness', async () => {
  const health = new Health();
  health.add('broker', () => Promise.reject(new Error('away')), { timeoutMilliseconds: 30, isNeeded: false });
  expect(await health.ready()).toMatchObject({ ready: true, checks: { broker: { ok: false } } });
  health.add('database', () => Promise.reject(new Error('away')), { timeoutMilliseconds: 30 });
  expect(await health.ready()).toMatchObject({ ready: false });
});

test('is not ready while shutting down', async () => {
  const health = new Health();
  expect((await health.ready()).ready).toBe(true);
  health.beginShutdown();
  expect((await health.ready()).ready).toBe(false);
});

test('concurrent requests share one round of checks', async () => {
  const health = new Health();
  let rounds = 0;
  health.add('database', async () => void (rounds += 1), { timeoutMilliseconds: 100 });
  await Promise.all(Array.from({ length: 20 }, () => health.ready()));
  expect(rounds).toBe(1);
});

test('a check can report details', async () => {
  const health = new Health();
  health.add('python', () => Promise.resolve({ level: 'sealed' }), { timeoutMilliseconds: 100 });
  expect((await health.ready()).checks['python']).toMatchObject({ ok: true, details: { level: 'sealed' } });
});
