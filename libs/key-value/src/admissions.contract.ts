import { randomUUID } from 'node:crypto';
import { until } from '@millrace/service/testing';
import type { KeyValueStore } from './key-value-store';

/** Contract of rates and places of every KeyValueStore. */
export function describeAdmissions(store: () => KeyValueStore): void {
  describe('admissions', () => {
    let key: string;

    beforeEach(() => {
      key = `key-${randomUUID()}`;
    });

    test('a rate is taken from once, also by many callers at the same time', async () => {
      const rate = { key, perSecond: 0.001, burst: 3 };
      const answers = await Promise.all(Array.from({ length: 20 }, () => store().admit({ rates: [rate] })));
      expect(answers.flatMap(({ rates }) => rates.map(({ remaining }) => remaining)).sort()).toEqual([
        0, 1, 2,
      ]);
      const waits = answers.map(({ waitMilliseconds }) => waitMilliseconds);
      expect(Math.max(...waits)).toBeGreaterThan(900_000);
      expect(Math.max(...waits)).toBeLessThanOrEqual(1_000_000);
      expect(await store().admit({ rates: [{ ...rate, key: `${key}-other` }] })).toMatchObject({
        refused: null,
      });
    });

    test('a rate that refuses keeps the others of the admission whole', async () => {
      const [wide, narrow] = [
        { key: `{${key}}:wide`, perSecond: 0.001, burst: 5 },
        { key: `{${key}}:narrow`, perSecond: 0.001, burst: 1 },
      ];
      const both = { rates: [wide, narrow] };
      expect(await store().admit(both)).toMatchObject({
        refused: null,
        rates: [{ remaining: 4 }, { remaining: 0 }],
      });
      for (let again = 0; again < 3; again += 1)
        expect(await store().admit(both)).toMatchObject({ refused: 1 });
      expect(await store().admit({ rates: [wide] })).toMatchObject({ rates: [{ remaining: 3 }] });
    });

    test('places are taken once until they are given back or expire, also by many callers at the same time', async () => {
      const place = { key: `{${key}}:places`, maximum: 3 };
      const take = (id: string, ttlMilliseconds = 60_000) =>
        store().admit({ rates: [], places: { id, ttlMilliseconds, of: [place] } });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => take(String(index))));
      expect(answers.filter(({ refused }) => refused === null)).toHaveLength(3);
      expect(answers.filter(({ refused }) => refused === 0)).toHaveLength(17);
      await store().release(
        place.key,
        Array.from({ length: 20 }, (_, index) => String(index)),
      );
      expect(await take('brief', 1)).toMatchObject({ refused: null });
      await store().keep(place.key, ['one', 'two'], 60_000);
      await until(async () => (await take('third')).refused === null, 'the brief place did not expire');
      expect(await take('fourth')).toMatchObject({ refused: 0 });
    });

    test('full places keep the rates of an admission whole', async () => {
      const rate = { key: `{${key}}:rate`, perSecond: 0.001, burst: 2 };
      const places = { id: 'one', ttlMilliseconds: 60_000, of: [{ key: `{${key}}:full`, maximum: 0 }] };
      expect(await store().admit({ rates: [rate], places })).toMatchObject({
        refused: 1,
        waitMilliseconds: 0,
      });
      expect(await store().admit({ rates: [rate] })).toMatchObject({ rates: [{ remaining: 1 }] });
    });

    test('background runs share places with callers, and each leaves one to the other', async () => {
      const place = { key: `{${key}}:shared`, maximum: 4 };
      const take = (id: string) =>
        store().admit({ rates: [], places: { id, ttlMilliseconds: 60_000, of: [place] } });
      const share = (used: number, wanted: number, isWaiting = wanted > 0) =>
        store().share({ ...place, used, wanted, isWaiting, ttlMilliseconds: 60_000 });
      expect(await take('one')).toMatchObject({ refused: null });
      expect(await share(0, 9)).toBe(3);
      expect(await take('two')).toMatchObject({ refused: 0 });
      expect(await share(2, 0)).toBe(0);
      expect(await take('two')).toMatchObject({ refused: null });
      await store().release(place.key, ['one', 'two']);
      expect(await share(0, 9)).toBe(3);
      expect(await take('one')).toMatchObject({ refused: null });
      // One place is kept for background runs that wait.
      expect(await share(0, 0, true)).toBe(0);
      expect([
        (await take('two')).refused,
        (await take('three')).refused,
        (await take('four')).refused,
      ]).toEqual([null, null, 0]);
    });

    test('what is settled takes a place until a count that began later has noted it', async () => {
      const place = { key: `{${key}}:settled`, maximum: 3 };
      const ttlMilliseconds = 60_000;
      const take = async (id: string) =>
        (await store().admit({ rates: [], places: { id, ttlMilliseconds, of: [place] } })).refused === null;
      const settle = (id: string) => store().settle({ key: place.key, id, ttlMilliseconds });
      const note = (count: number, settled: number) =>
        store().note({ key: place.key, count, settled, ttlMilliseconds });
      expect(await take('one')).toBe(true);
      expect(await settle('one')).toBe(false);
      // The count found the first one; the second is settled while it is made, and the third has a place alone.
      const began = await store().settled(place.key);
      expect(began).toBe(1);
      expect([await take('two'), await settle('two')]).toEqual([true, false]);
      await note(1, began);
      expect([await take('three'), await take('four')]).toEqual([true, false]);
      expect(await settle('three')).toBe(true);
      expect(await take('four')).toBe(false);
      await note(1, await store().settled(place.key));
      expect([await take('four'), await take('five'), await take('six')]).toEqual([true, true, false]);
      // As after a loss of the data of a server.
      await note(1, 1_000);
      expect(await take('six')).toBe(false);
    });

    test('an amount is used up once, also by many callers at the same time, and keeps the rest of an admission whole', async () => {
      const rate = { key: `{${key}}:rate`, perSecond: 0.001, burst: 100 };
      const use = (amount: number, maximum = 1_000, ttlMilliseconds = 60_000) =>
        store().admit({
          rates: [rate],
          amounts: [{ key: `{${key}}:bytes`, amount, maximum, ttlMilliseconds }],
          places: { id: String(amount), ttlMilliseconds, of: [{ key: `{${key}}:few`, maximum: 4 }] },
        });
      const answers = await Promise.all(Array.from({ length: 20 }, () => use(300)));
      const granted = answers.filter(({ refused }) => refused === null);
      expect(granted.map(({ amounts }) => amounts[0]).sort()).toEqual([100, 400, 700]);
      expect(granted.map(({ rates }) => rates[0]?.remaining).sort()).toEqual([97, 98, 99]);
      for (const refused of answers.filter((answer) => answer.refused !== null))
        expect(refused).toEqual({ refused: 1, waitMilliseconds: 0, rates: [], amounts: [] });
      expect(await use(100)).toMatchObject({ refused: null, amounts: [0], rates: [{ remaining: 96 }] });
      expect(await use(5, 10_000_000_000_000, 1)).toMatchObject({ amounts: [9_999_999_998_995] });
      await until(async () => (await use(1_000)).refused === null, 'the amount did not expire');
    });

    test('a rate grows again', async () => {
      const admission = { rates: [{ key, perSecond: 50, burst: 1 }] };
      expect(await store().admit(admission)).toMatchObject({ refused: null });
      await until(async () => (await store().admit(admission)).refused === null, 'the rate did not grow');
    });
  });
}
