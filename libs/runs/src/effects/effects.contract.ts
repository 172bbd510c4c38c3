import { Encryption } from '../encryption/encryption';
import { reencryptValues } from '../encryption/reencrypt-values';
import { FlowStore } from '../flows/flow-store';
import { RunStore } from '../runs/run-store';
import { EffectStore } from './effect-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, newRun } from '../testing/test-parts';

/** Contract of EffectStore, on any database. */
export function describeEffects(name: string, open: () => TestDatabase): void {
  describe(`effects (${name})`, () => {
    const effects = () => new EffectStore({ database: open().database });

    async function claimed() {
      const { database } = open();
      const runs = new RunStore({ database });
      const flow = await makeFlow(database);
      // A background run would wait before its third attempt.
      const run = newRun(flow, { lane: 'interactive' });
      await runs.accept([run]);
      const claim = (worker: string) => runs.claim([{ runId: run.id, worker, redelivered: true }]);
      await claim('one');
      const place = { runId: run.id, vertexId: 'API-a', name: 'request', ordinal: 1 };
      return { flow, claim, place };
    }

    test('reports a completed effect with its result, and a begun one as unfinished', async () => {
      const { claim, place } = await claimed();
      expect(await effects().begin(place, 1)).toEqual({ state: 'first' });
      await claim('two');
      expect(await effects().begin(place, 2)).toEqual({ state: 'unfinished' });
      await effects().finish(place, 2, '{"a": "ž\\u0000"}');
      await claim('three');
      expect(await effects().begin(place, 3)).toEqual({ state: 'done', result: '{"a": "ž\\u0000"}' });
    });

    test('a result is encrypted in its row, and encrypted again with a new key; those of earlier releases are read', async () => {
      const { database } = open();
      const { place } = await claimed();
      const keys = ['07', '08'].map((byte) => byte.repeat(32)) as [string, string];
      const store = (...of: string[]) => new EffectStore({ database, encryption: Encryption.from(of) });
      const column = async () => {
        const text = 'SELECT result FROM run_effects WHERE run_id = $1 AND name = $2';
        return (await database.query<{ result: string }>({ text, values: [place.runId, place.name] })).rows[0]
          ?.result;
      };
      const result = '{"text": "secret \\u0000"}';
      await store(keys[0]).begin(place, 1);
      await store(keys[0]).finish(place, 1, result);
      const written = await column();
      expect(written).toMatch(/^v1\./);
      const rotated = Encryption.from([keys[1], keys[0]]);
      const places = ['effect_results'] as const;
      const [counts] = await reencryptValues({ database, encryption: rotated, places });
      expect(counts).toMatchObject({ reencrypted: 1, unreadable: 0, older: 0 });
      expect(await column()).not.toBe(written);
      expect(await store(keys[1]).begin(place, 1)).toEqual({ state: 'done', result });
      await expect(effects().begin(place, 1)).rejects.toThrow('a key that is not configured');
      const earlier = { ...place, name: 'of an earlier release' };
      await effects().begin(earlier, 1);
      await effects().finish(earlier, 1, '"plain"');
      expect(await store(keys[1]).begin(earlier, 1)).toEqual({ state: 'done', result: '"plain"' });
    });

    test('effects are distinguished by vertex, name and ordinal', async () => {
      const { place } = await claimed();
      const others = [{ vertexId: 'x'.repeat(10_000) }, { name: 'other' }, { ordinal: 2 }];
      for (const other of [{}, ...others])
        expect(await effects().begin({ ...place, ...other }, 1)).toEqual({ state: 'first' });
    });

    test('an attempt that has lost its run neither begins nor finishes an effect', async () => {
      const { claim, place } = await claimed();
      await effects().begin(place, 1);
      await claim('two');
      expect(await effects().begin(place, 1)).toEqual({ state: 'fenced' });
      expect(await effects().begin(place, 2)).toEqual({ state: 'unfinished' });
      await effects().finish(place, 1, '"late"');
      expect(await effects().begin(place, 2)).toEqual({ state: 'unfinished' });
    });

    test('a step is found by later attempts, encrypted in its row, and not recorded by an attempt without the run', async () => {
      const { claim, place } = await claimed();
      const encryption = Encryption.from(['07'.repeat(32)]);
      const steps = new EffectStore({ database: open().database, encryption });
      expect(await steps.findStep(place)).toBeNull();
      expect(await steps.recordStep(place, 1, '{"text": "secret"}')).toBe(true);
      await claim('two');
      expect(await steps.findStep(place)).toBe('{"text": "secret"}');
      expect(await steps.recordStep(place, 1, '"late"')).toBe(false);
      const { rows } = await open().database.query<{ result: string }>({
        text: 'SELECT result FROM run_effects WHERE run_id = $1',
        values: [place.runId],
      });
      expect(rows).toEqual([{ result: expect.not.stringContaining('secret') }]);
    });

    test('a flow can ask for failure instead of repetition', async () => {
      const { flow } = await claimed();
      expect(await effects().failsOnUnfinishedEffects(flow.id)).toBe(false);
      await new FlowStore({ database: open().database }).update(flow.userId, flow.id, {
        settings: { unfinishedEffects: 'fail' },
      });
      expect(await effects().failsOnUnfinishedEffects(flow.id)).toBe(true);
    });
  });
}
