import { setTimeout as pause } from 'node:timers/promises';
import { WaitingLeases } from './waiting-leases';

const forever = new AbortController().signal;

test('a lease waits again while its check gives no error, and then fails with it', async () => {
  const waiting = new WaitingLeases();
  let checks = 0;
  const lease = waiting.add('key', forever, 5, () => ((checks += 1) < 3 ? null : new Error('late')));
  await expect(lease).rejects.toThrow('late');
  expect(checks).toBe(3);
  expect(waiting.size).toBe(0);
});

test('a signal ends a lease that waits again', async () => {
  const waiting = new WaitingLeases();
  const abort = new AbortController();
  let checks = 0;
  const lease = waiting.add('key', abort.signal, 5, () => {
    checks += 1;
    abort.abort(new Error('cancelled'));
    return null;
  });
  await expect(lease).rejects.toThrow('cancelled');
  await pause(30);
  expect(checks).toBe(1);
});
