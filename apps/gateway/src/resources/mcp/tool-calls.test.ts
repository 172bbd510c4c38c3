import { ToolCalls } from './tool-calls';

const call = { userId: 'user', session: 'session', call: '1' };

test('a call is cancelled by its user, session and id, until it has ended', async () => {
  const calls = new ToolCalls();
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<void>((resolve) => void ends.push(resolve));
  };
  const begun = [calls.during(call, work), calls.during({ ...call, call: '2' }, work)];
  for (const other of [{ userId: 'other' }, { session: 'other' }, { call: '3' }])
    calls.cancel({ ...call, ...other });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  ends[1]?.();
  await begun[1];
  for (const id of ['1', '2']) calls.cancel({ ...call, call: id });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  ends[0]?.();
  await begun[0];
});

test('the end of a call does not end a later one with its id', async () => {
  const calls = new ToolCalls();
  const signals: AbortSignal[] = [];
  let end: () => void = () => undefined;
  const first = calls.during(call, () => new Promise<void>((resolve) => (end = resolve)));
  const second = calls.during(call, (signal) => {
    signals.push(signal);
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  end();
  await first;
  calls.cancel(call);
  await second;
  expect(signals[0]?.aborted).toBe(true);
});
