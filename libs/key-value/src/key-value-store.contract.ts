import { randomUUID } from 'node:crypto';
import { until } from '@millrace/service/testing';
import { describeAdmissions } from './admissions.contract';
import { KeyValueUnavailableError } from './key-value-store';
import type { KeyValueStore } from './key-value-store';

/** Contract of every KeyValueStore. The factory can open the same store each time; keys here are random. */
export function describeKeyValueStore(name: string, open: () => Promise<KeyValueStore>): void {
  describe(`KeyValueStore: ${name}`, () => {
    let store: KeyValueStore;
    let key: string;
    const longLived = { maximumLength: 100, ttlMilliseconds: 10_000 };

    beforeAll(async () => {
      store = await open();
    });

    beforeEach(() => {
      key = `key-${randomUUID()}`;
    });

    afterAll(async () => {
      await store.delete(await store.keys('', 10_000));
      await store.close();
    });

    /** Resolves when whatever had this expiry before the call has expired. */
    async function pastExpiries(ttlMilliseconds: number): Promise<void> {
      await store.set(`${key}-fence`, '', { ttlMilliseconds });
      await until(async () => (await store.get(`${key}-fence`)) === null, 'the fence did not expire');
    }

    describe('texts', () => {
      test('that were never set are null', async () => {
        expect(await store.get(key)).toBeNull();
      });

      test.each(['', 'plain', 'Mühle 水 🎡', '{"a":"\\n"}\r\n\0'])(
        'are returned as they were set: %j',
        async (text) => {
          expect(await store.set(key, text)).toBe(true);
          expect(await store.get(key)).toBe(text);
        },
      );

      test('of a megabyte are returned', async () => {
        const text = 'ü'.repeat(500_000);
        await store.set(key, text);
        expect((await store.get(key)) === text).toBe(true);
      });

      test('are replaced by the next one', async () => {
        await store.set(key, 'one');
        await store.set(key, 'two');
        expect(await store.get(key)).toBe('two');
      });

      test('are not replaced with onlyIfAbsent', async () => {
        expect(await store.set(key, 'first', { onlyIfAbsent: true })).toBe(true);
        expect(await store.set(key, 'second', { onlyIfAbsent: true })).toBe(false);
        expect(await store.get(key)).toBe('first');
      });

      test('only one of many concurrent callers sets an absent one', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, index) => store.set(key, `${index}`, { onlyIfAbsent: true })),
        );
        expect(outcomes.filter(Boolean)).toHaveLength(1);
      });

      test('expire', async () => {
        await store.set(key, 'short', { ttlMilliseconds: 20 });
        await until(async () => (await store.get(key)) === null, 'the text did not expire');
        expect(await store.set(key, 'again', { onlyIfAbsent: true, ttlMilliseconds: 10_000 })).toBe(true);
      });

      test('set without expiry lose their previous expiry', async () => {
        await store.batch([
          { command: 'set', key, value: 'short', options: { ttlMilliseconds: 20 } },
          { command: 'set', key, value: 'long' },
        ]);
        await pastExpiries(20);
        expect(await store.get(key)).toBe('long');
      });

      test('can be read together, in order', async () => {
        await store.set(`${key}-1`, 'one');
        await store.set(`${key}-3`, 'three');
        expect(await store.getMany([`${key}-1`, `${key}-2`, `${key}-3`])).toEqual(['one', null, 'three']);
        expect(await store.getMany([])).toEqual([]);
      });

      test('are deleted; unknown keys are ignored', async () => {
        await store.set(key, 'deleted');
        await store.delete([key, `${key}-unknown`]);
        await store.delete([]);
        expect(await store.get(key)).toBeNull();
      });
    });

    describe('lists', () => {
      test('that do not exist are empty', async () => {
        expect(await store.range(key, 0, -1)).toEqual([]);
      });

      test('keep the order in which entries were appended', async () => {
        await store.append(key, ['a', 'b'], longLived);
        await store.append(key, ['c'], longLived);
        await store.append(key, [], longLived);
        expect(await store.range(key, 0, -1)).toEqual(['a', 'b', 'c']);
        expect([await store.length(key), await store.length(`${key}-none`)]).toEqual([3, 0]);
      });

      test.each([
        [0, 0, ['a']],
        [1, 2, ['b', 'c']],
        [-2, -1, ['d', 'e']],
        [-100, 1, ['a', 'b']],
        [3, 100, ['d', 'e']],
        [0, -100, []],
        [3, 1, []],
        [7, 9, []],
        [1, -2, ['b', 'c', 'd']],
      ])('return their entries from %d to %d', async (start, stop, expected) => {
        await store.append(key, ['a', 'b', 'c', 'd', 'e'], longLived);
        expect(await store.range(key, start, stop)).toEqual(expected);
      });

      test('keep their newest entries only, and at most a quarter more', async () => {
        const kept: string[][] = [];
        for (let round = 0; round < 7; round += 1) {
          await store.append(key, [`${round}a`, `${round}b`], { ...longLived, maximumLength: 8 });
          kept.push(await store.range(key, 0, -1));
        }
        expect(kept.map(({ length }) => length)).toEqual([2, 4, 6, 8, 10, 8, 10]);
        expect(kept[5]).toEqual(['2a', '2b', '3a', '3b', '4a', '4b', '5a', '5b']);
      });

      test('also expire after they were deleted and started again', async () => {
        const briefly = { maximumLength: 10, ttlMilliseconds: 300 };
        await store.append(key, ['a'], briefly);
        await store.delete([key]);
        await store.append(key, ['b'], briefly);
        await until(async () => (await store.range(key, 0, -1)).length === 0, 'the list did not expire');
      });

      test('have the expiry of the entry that was appended last', async () => {
        const values = ['a'];
        await store.batch([
          { command: 'append', key, values, options: { maximumLength: 10, ttlMilliseconds: 20 } },
          { command: 'append', key, values: ['b'], options: longLived },
        ]);
        await pastExpiries(20);
        expect(await store.range(key, 0, -1)).toEqual(['a', 'b']);
      });

      test('that were returned do not change afterwards', async () => {
        await store.append(key, ['a'], longLived);
        const before = await store.range(key, 0, -1);
        await store.append(key, ['b'], longLived);
        expect(before).toEqual(['a']);
      });

      test('refuse invalid limits', async () => {
        await expect(store.append(key, ['a'], { maximumLength: 0, ttlMilliseconds: 1 })).rejects.toThrow(
          RangeError,
        );
        await expect(store.append(key, ['a'], { maximumLength: 1, ttlMilliseconds: 0 })).rejects.toThrow(
          RangeError,
        );
      });

      test('are not texts, nor texts lists', async () => {
        await store.append(key, ['a'], longLived);
        await expect(store.get(key)).rejects.toThrow(TypeError);
        await store.set(key, 'text');
        await expect(store.range(key, 0, -1)).rejects.toThrow(TypeError);
        await expect(store.append(key, ['a'], longLived)).rejects.toThrow(TypeError);
        expect(await store.get(key)).toBe('text');
      });
    });

    test('a batch returns the result of each command in order, like single calls', async () => {
      const other = `${key}-list`;
      const results = await store.batch([
        { command: 'set', key, value: 'one', options: { onlyIfAbsent: true } },
        { command: 'set', key, value: 'two', options: { onlyIfAbsent: true, ttlMilliseconds: 10_000 } },
        { command: 'get', key },
        {
          command: 'append',
          key: other,
          values: ['a', 'b', 'c', 'd'],
          options: { ...longLived, maximumLength: 2 },
        },
        { command: 'range', key: other, start: 0, stop: -1 },
        { command: 'delete', keys: [] },
        { command: 'delete', keys: [key, other] },
        { command: 'get', key },
        { command: 'range', key: other, start: 0, stop: -1 },
      ]);
      expect(results).toEqual([true, false, 'one', undefined, ['c', 'd'], undefined, undefined, null, []]);
      expect(await store.batch([])).toEqual([]);
    });

    test('a batch with a failing command rejects, but its other commands are executed', async () => {
      await store.set(key, 'text');
      const outcome = store.batch([
        { command: 'range', key, start: 0, stop: -1 },
        { command: 'set', key: `${key}-2`, value: 'done' },
      ]);
      await expect(outcome).rejects.toThrow(TypeError);
      expect(await store.get(`${key}-2`)).toBe('done');
    });

    test('concurrent calls each get their own result', async () => {
      const keys = Array.from({ length: 500 }, (_, index) => `${key}-${index}`);
      await Promise.all(keys.map((each) => store.set(each, each)));
      expect(await Promise.all(keys.map((each) => store.get(each)))).toEqual(keys);
    });

    test('finds keys by prefix, whatever characters they contain', async () => {
      await store.set(`${key}[a]*?:1`, '1');
      await store.set(`${key}[a]*?:2`, '2');
      await store.set(`${key}a-b:3`, '3');
      expect((await store.keys(`${key}[a]*?:`, 10)).sort()).toEqual([`${key}[a]*?:1`, `${key}[a]*?:2`]);
      expect(await store.keys(key, 2)).toHaveLength(2);
      expect(await store.keys(`${key}-unknown`, 10)).toEqual([]);
    });

    describeAdmissions(() => store);

    test('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });

    test('close is idempotent; later calls are refused', async () => {
      const closing = await open();
      const pending = closing.set(key, 'last');
      await closing.close();
      await closing.close();
      await expect(pending).resolves.toBe(true);
      await expect(closing.get(key)).rejects.toBeInstanceOf(KeyValueUnavailableError);
    });
  });
}
