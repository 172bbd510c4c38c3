import { ReadYourWrites } from './read-your-writes';

async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise((resolve) => setTimeout(resolve, 5));
  return settled;
}

test('a read waits for the answered runs of its own user only', async () => {
  const runs = new ReadYourWrites();
  runs.add('ann', 'a1');
  runs.add('ann', 'a2');
  const ann = runs.settled('ann');
  expect(await isSettled(runs.settled('bob'))).toBe(true);
  runs.add('ann', 'a3');
  runs.recorded(['a1']);
  expect(await isSettled(ann)).toBe(false);
  runs.recorded(['a2']);
  expect(await isSettled(ann)).toBe(true);
  runs.recorded(['a3', 'unknown']);
  expect(runs.size).toBe(0);
});

test('a read waits no longer than its limit', async () => {
  let timeouts = 0;
  const runs = new ReadYourWrites({ maximumWaitMilliseconds: 30, onTimeout: () => (timeouts += 1) });
  runs.add('ann', 'a1');
  await expect(runs.settled('ann')).resolves.toBeUndefined();
  expect(runs.size).toBe(1);
  expect(timeouts).toBe(1);
});

test('runs that are not reported as stored are dropped after a while, and their number is limited', () => {
  let now = 0;
  const runs = new ReadYourWrites({ now: () => now });
  for (let index = 0; index < 25_000; index += 1) runs.add('ann', `run ${index}`);
  expect(runs.size).toBe(20_000);
  now = 6_000;
  runs.add('ann', 'late');
  expect(runs.size).toBe(1);
});

test('a read does not wait for runs that were dropped', async () => {
  let now = 0;
  const runs = new ReadYourWrites({ now: () => now });
  runs.add('ann', 'a1');
  now = 6_000;
  expect(await isSettled(runs.settled('ann'))).toBe(true);
  expect(runs.size).toBe(0);
});
