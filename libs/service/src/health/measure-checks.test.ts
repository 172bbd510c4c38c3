import { createMetrics, Health, measureChecks } from '../index';

test('a collection has the results of the checks that the collection before started, and does not wait for them', async () => {
  const metrics = createMetrics();
  const health = new Health();
  let answer: Promise<unknown> = Promise.resolve();
  health.add('server', () => answer, { timeoutMilliseconds: 60_000 });
  measureChecks(metrics, health);
  const values = async () =>
    (await metrics.prometheusText()).split('\n').filter((line) => line.startsWith('millrace_check_passed'));
  expect(await values()).toEqual([]);
  await health.ready();
  expect(await values()).toEqual(['millrace_check_passed{check="server"} 1']);
  await health.ready();
  let fail: (reason: Error) => void = () => undefined;
  answer = new Promise((_resolve, reject) => (fail = reject));
  expect(await values()).toEqual(['millrace_check_passed{check="server"} 1']);
  expect(await values()).toEqual(['millrace_check_passed{check="server"} 1']);
  fail(new Error('away'));
  await health.ready();
  expect(await values()).toEqual(['millrace_check_passed{check="server"} 0']);
  await metrics.close();
});
