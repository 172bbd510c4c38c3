import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from './fair-queue';
import { PendingRun } from './pending-run';

let sent: string[];
beforeEach(() => (sent = []));

function queueOf(slots: number | null, maximumSent?: () => number): FairQueue {
  return new FairQueue({ announced: { slots: () => slots }, maximumSent });
}

/** Enters a run whose id begins with its user. */
function enter(
  queue: FairQueue,
  runId: string,
  pool = 'default',
  project = { id: 'project', weight: 1 },
): PendingRun {
  const run = new PendingRun({
    runId,
    pool,
    userId: runId.charAt(0),
    project,
    flowId: 'flow',
    sessionId: 'session',
    requestId: null,
    needsPython: false,
    deadline: Date.now() + 60_000,
    durable: false,
    onEvents: null,
  });
  queue.enter(run, () => void sent.push(runId));
  return run;
}

test('sends at once while the pool can take jobs, and then one for each run that ends', () => {
  const queue = queueOf(1, () => 2);
  const runs = ['a1', 'a2', 'a3', 'a4'].map((runId) => enter(queue, runId));
  expect(sent).toEqual(['a1', 'a2']);
  expect([queue.held, ...runs.map(({ turn }) => turn)]).toEqual([2, 'sent', 'sent', 'held', 'held']);
  queue.leave(runs[1]!);
  expect(sent).toEqual(['a1', 'a2', 'a3']);
  expect(runs[2]?.turn).toBe('sent');
  queue.leave(runs[0]!);
  queue.leave(runs[2]!);
  queue.leave(runs[3]!);
  expect([sent.at(-1), queue.held]).toEqual(['a4', 0]);
});

test('users take turns, whatever the number of their runs', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a0');
  const runs = new Map(
    ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((runId) => [runId, enter(queue, runId)] as const),
  );
  queue.leave(first);
  for (let ended = 0; ended < 5; ended += 1) queue.leave(runs.get(sent.at(-1) ?? '')!);
  expect(sent).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('projects of a user take turns, each with as many runs as its weight, and no more of those of another user', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a0');
  const [one, two] = [
    { id: 'one', weight: 1 },
    { id: 'two', weight: 2 },
  ];
  const runs = new Map<string, PendingRun>(
    (
      [
        ['a1', one],
        ['a2', one],
        ['a3', one],
        ['a5', two],
        ['a6', two],
        ['a7', two],
        ['b1', one],
        ['b2', one],
      ] as const
    ).map(([runId, project]) => [runId, enter(queue, runId, 'default', project)] as const),
  );
  queue.leave(first);
  while (queue.held > 0) queue.leave(runs.get(sent.at(-1) ?? '')!);
  expect(sent).toEqual(['a0', 'a1', 'b1', 'a5', 'b2', 'a6', 'a2', 'a7', 'a3']);
});

test('a run that ends before its turn is never sent', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a1');
  const ended = enter(queue, 'b1');
  enter(queue, 'c1');
  queue.leave(ended);
  expect([sent, queue.held]).toEqual([['a1'], 1]);
  queue.leave(first);
  expect(sent).toEqual(['a1', 'c1']);
});

test('pools do not wait for one another', () => {
  const queue = queueOf(1, () => 1);
  enter(queue, 'a1');
  enter(queue, 'a2');
  enter(queue, 'a3', 'other');
  expect(sent).toEqual(['a1', 'a3']);
});

test('more slots send more jobs with the next run that ends', () => {
  let slots = 1;
  const queue = new FairQueue({ announced: { slots: () => slots }, maximumSent: (known) => known ?? 0 });
  const first = enter(queue, 'a1');
  for (const runId of ['a2', 'a3', 'a4']) enter(queue, runId);
  slots = 2;
  queue.leave(first);
  expect(sent).toEqual(['a1', 'a2', 'a3']);
});

test('holds nothing back while slots are unknown, nor below 64 jobs or two for each slot', () => {
  const send = (slots: number | null) => {
    const queue = queueOf(slots);
    for (let number = 0; number < 1_000; number += 1) enter(queue, `a${number}`);
    return 1_000 - queue.held;
  };
  expect([null, 1, 64, 200].map(send)).toEqual([1_000, 64, 128, 400]);
});

test('nothing that was held back is sent after the close', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a1');
  enter(queue, 'a2');
  queue.close();
  queue.leave(first);
  expect(sent).toEqual(['a1']);
});

test('a job is sent in the context of its own request', () => {
  const context = new AsyncLocalStorage<string>();
  const queue = queueOf(1, () => 1);
  const seen: unknown[] = [];
  const run = (runId: string) => enter(queue, runId);
  const first = context.run('one', () => run('a1'));
  const second = new PendingRun({ ...first.options, runId: 'a2' });
  context.run('two', () => queue.enter(second, () => void seen.push(context.getStore())));
  context.run('one', () => queue.leave(first));
  expect(seen).toEqual(['two']);
});

test('a run that ended before it entered is not sent and takes no place', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a1');
  const ended = new PendingRun({ ...first.options, runId: 'a2' });
  queue.leave(ended);
  queue.leave(first);
  queue.enter(ended, () => void sent.push('a2'));
  enter(queue, 'a3');
  expect([sent, queue.held]).toEqual([['a1', 'a3'], 0]);
});

test('leaving without having entered changes nothing', () => {
  const queue = queueOf(1, () => 1);
  const first = enter(queue, 'a1');
  enter(queue, 'a2');
  queue.leave(new PendingRun({ ...first.options, runId: 'a3' }));
  expect(sent).toEqual(['a1']);
});
