import { Turns } from './turns';

test('few pieces of work run at a time, and the failure of one is its own', async () => {
  const turns = new Turns({ atOnce: 2, milliseconds: 5_000, late: 'late' });
  let running = 0;
  let most = 0;
  const work = (index: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (index % 2 === 1) throw new Error(`failure ${index}`);
    return index;
  };
  const done = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((index) => turns.run(work(index))));
  expect(done.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    0,
    'Error: failure 1',
    2,
    'Error: failure 3',
    4,
    'Error: failure 5',
  ]);
  expect(most).toBe(2);
});

test('while late work runs none begins, and afterwards it does', async () => {
  const turns = new Turns({ atOnce: 1, milliseconds: 20, late: 'not in time' });
  let end: () => void = () => undefined;
  const begun: string[] = [];
  const stuck = turns.run(() => {
    begun.push('stuck');
    return new Promise<void>((resolve) => (end = resolve));
  });
  const behind = turns.run(async () => void begun.push('behind'));
  await expect(stuck).rejects.toThrow('not in time');
  await expect(behind).rejects.toThrow('not in time');
  await expect(turns.run(async () => void begun.push('later'))).rejects.toThrow('an earlier one');
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['stuck']);
  expect(await turns.run(async () => 'again')).toBe('again');
});
