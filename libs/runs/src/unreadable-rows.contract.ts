import { EffectStore } from './effects/effect-store';
import type { FlowRecord } from './flows/flow-record';
import { FlowStore } from './flows/flow-store';
import type { NewRun } from './run-record/run-record';
import { RunStore } from './runs/run-store';
import type { TestDatabase } from './testing/open-test-database';
import { completion, makeFlow, newRun, openCallbacks } from './testing/test-parts';
import { triggerParts } from './testing/trigger-parts';

const ADDRESS = 'https://receiver.test/runs';
/** Texts that a release without the check stored, and JSON that a later check of a member would refuse. */
const SETTINGS = [
  String.raw`{"concurrency":1,"webhook":{"signature":{"scheme":"github","secrets":["\ud800"]}}}`,
  String.raw`{"concurrency":1,"webhook":{"challenge":{"scheme":"meta","secrets":["a\udfffb"]}}}`,
  String.raw`{"concurrency":1,"callbacks":[{"url":"${ADDRESS}","secrets":["\ud800\ud800"]}]}`,
  String.raw`{"concurrency":1,"callbacks":[{"url":"${ADDRESS}?\udc00\ud800","secrets":["A"]}]}`,
  String.raw`{"concurrency":1,"callbacks":[{"amqp":{"connection":"\u0000","exchange":"\\\ud800","routingKey":""}}]}`,
  String.raw`{"concurrency":1,"\ud800":"\\ud800","pool":"\u0000"}`,
  String.raw`{"concurrency":1e300,"callbacks":[{"url":"${ADDRESS}","secrets":"A","on":"finished"},3,null,[]]}`,
  String.raw`{"concurrency":"two","callbacks":{"url":"${ADDRESS}"},"retry":"often","unfinishedEffects":7}`,
  `{"concurrency":-1e300,"callbacks":[{"url":"https://${'水'.repeat(1_900)}/","secrets":["A"]}]}`,
  `{"deep":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
  '[]',
  'null',
];

/** Contract: a row that the database cannot read keeps no statement from the rows of other users. */
export function describeUnreadableRows(name: string, open: () => TestDatabase): void {
  describe(`rows that cannot be read (${name})`, () => {
    const runs = () => new RunStore({ database: open().database });
    const flows = () => new FlowStore({ database: open().database });
    const { make, events, eventOf, triggers } = triggerParts(open);
    const claim = ({ id }: NewRun) => ({ runId: id, worker: 'worker', redelivered: false });

    const set = (table: 'flows' | 'triggers', column: string, id: string, json: string) =>
      open().database.query({
        text: `UPDATE ${table} SET ${column} = $2::text::json WHERE id = $1`,
        values: [id, json],
      });

    /** One flow with each of the settings, each of another user, and the flow of a user beside them. */
    async function makeFlows(): Promise<{ readonly unreadable: FlowRecord[]; readonly other: FlowRecord }> {
      const unreadable: FlowRecord[] = [];
      for (const settings of SETTINGS) {
        const flow = await makeFlow(open().database);
        await set('flows', 'settings', flow.id, settings);
        unreadable.push(flow);
      }
      const other = await makeFlow(open().database);
      await flows().update(other.userId, other.id, {
        settings: { concurrency: 1, callbacks: [{ url: ADDRESS, secrets: ['A'] }] },
      });
      return { unreadable, other };
    }

    test('runs of all users are released, claimed, ended with their reports, counted and replayed', async () => {
      const { unreadable, other } = await makeFlows();
      const all = [...unreadable, other].map((flow) => newRun(flow, { isLimited: true, maximumAttempts: 1 }));
      const ofOther = all.at(-1);
      await runs().admit(all, { publishedPerUser: 10 });
      const { runs: released } = await runs().releaseBacklog({ publishedPerUser: 10, limit: 500 });
      const releasedIds = new Set(released.map(({ id }) => id));
      expect(
        all
          .filter(({ id }) => !releasedIds.has(id))
          .map(({ flowId }) => unreadable.findIndex(({ id }) => id === flowId)),
      ).toEqual([8]);

      await open().database.query({ text: 'DELETE FROM backlog_counts' });
      expect(await runs().countBacklogs({ intervalMilliseconds: 60_000, pools: [] })).not.toBeNull();
      const claims = await runs().claim(all.map(claim));
      expect([...claims.values()].map(({ outcome }) => outcome)).toEqual(all.map(() => 'claimed'));
      const ended = await runs().complete(
        all.map(({ id }) => completion(id, 1, { status: 'failed', result: null })),
      );
      expect(ended.size).toBe(all.length);
      const due = await openCallbacks(open().database).take({
        limit: 1_000,
        perTarget: 100,
        places: new Map(),
      });
      expect(due.filter(({ userId }) => userId === other.userId)).toMatchObject([
        { url: ADDRESS, secrets: ['A'], run: { id: ofOther?.id } },
      ]);
      for (const { userId, id } of all.map((run) => ({ userId: run.userId, id: run.id }))) {
        const options = { requestId: null, pythonPool: null, traceparent: null, version: 'current' } as const;
        expect((await runs().replay(userId, [id], options)).size).toBe(1);
      }
    });

    test('a character that cannot be read is read as U+FFFD, and everything else as it was stored', async () => {
      const { rows } = await open().database.query<{ read: unknown }>({
        text: 'SELECT readable_json(given) AS read FROM unnest($1::text[]) WITH ORDINALITY AS texts (given, place) ORDER BY place',
        values: [
          [
            String.raw`["\ud83d\ude00\ud83d","\\ud83d\\","\\\ud83d\\\u0000","\udc00\udc00\ud800\udc00","😀\n\u0001\uFFFF"]`,
            '["\\ud800"',
            '{}',
          ],
        ],
      });
      expect(rows.map(({ read }) => read)).toEqual([
        ['😀\ufffd', '\\ud83d\\', '\\\ufffd\\\ufffd', '\ufffd\ufffd\u{10000}', '😀\n\u0001\uffff'],
        null,
        {},
      ]);
    });

    test('the tools of a user are listed, whatever their names are', async () => {
      const flow = await makeFlow(open().database);
      const others = await flows().create(flow.userId, {
        name: 'other',
        document: {},
        attributes: { mcp_enabled: true },
      });
      await set(
        'flows',
        'attributes',
        flow.id,
        String.raw`{"mcp_enabled":true,"action_name":"\ud800","action_description":"a\u0000"}`,
      );
      expect(await flows().listTools(flow.userId, null, 10)).toMatchObject([
        { id: flow.id, actionName: '\ufffd', actionDescription: 'a\ufffd' },
        { id: others.id, actionName: null },
      ]);
    });

    test('schedules of all users fire beside one with a configuration that cannot be read', async () => {
      const at = new Date(Date.now() - 500);
      const due = { kind: 'schedule', state: 'active', nextOccurrenceAt: at, nextFireAt: at } as const;
      const config = { every_seconds: 3_600, start_at: at.toISOString() };
      const configs = [
        String.raw`{"overlap_policy":"\ud800"}`,
        String.raw`{"every_seconds":"\u0000"}`,
        'null',
        '[]',
        '"x"',
      ];
      const unreadable = [];
      for (const json of configs) {
        const trigger = await make(await makeFlow(open().database), { ...due, config });
        await set('triggers', 'config', trigger.id, json);
        unreadable.push(trigger);
      }
      const ofUnreadableFlow = await make(await makeFlow(open().database), { ...due, config });
      await set('flows', 'settings', ofUnreadableFlow.flowId, 'null');
      const other = await make(await makeFlow(open().database), { ...due, config });
      await events().fire({
        limit: 200,
        publishedPerUser: 1_000,
        pythonPool: null,
        eventOf: ({ trigger, flow, firing }) =>
          eventOf(
            { ...flow, id: trigger.flowId } as unknown as FlowRecord,
            trigger,
            `schedule:${firing.occurrence}`,
          ),
      });
      for (const trigger of [ofUnreadableFlow, other])
        expect(await triggers().events(trigger.userId, trigger.id, { limit: 10, offset: 0 })).toHaveLength(1);
      for (const { userId, id } of unreadable)
        expect(await triggers().find(userId, id)).toMatchObject({
          state: 'paused',
          lastError: expect.any(String),
        });
    });

    test('rows are named that cannot be read as they were stored', async () => {
      const [flow, readable] = [await makeFlow(open().database), await makeFlow(open().database)];
      const trigger = await make(flow);
      await set('flows', 'settings', flow.id, String.raw`{"webhook":{"signature":{"secrets":["\ud800"]}}}`);
      await set('flows', 'attributes', flow.id, String.raw`{"\u0000":1}`);
      await set('triggers', 'config', trigger.id, String.raw`["\udc00"]`);
      await set('flows', 'settings', readable.id, String.raw`{"pool":"\ud83d\ude00\\ud800"}`);
      const named = await runs().unreadableRows();
      expect(named.filter(({ userId }) => [flow.userId, readable.userId].includes(userId))).toEqual([
        { place: 'settings of flow', id: flow.id, userId: flow.userId },
        { place: 'attributes of flow', id: flow.id, userId: flow.userId },
        { place: 'configuration of trigger', id: trigger.id, userId: flow.userId },
      ]);
    });

    test.each([
      ['{"concurrency":"two"}', true],
      ['{"durable":0,"pool":"a"}', true],
      ['{"callbacks":{"url":"https://receiver.test/"}}', true],
      ['{"callbacks":[{"on":["failed"]},{"secrets":["A",3]}]}', true],
      ['{"webhook":{"signature":{"secrets":"A"}}}', true],
      ['{"editedCode":true}', true],
      ['{"pool":null}', true],
      ['[]', true],
      ['"settings"', true],
      ['{"concurrency":2.5,"other":[],"retry":{"attempts":2},"callbacks":[{"on":["never"]},{}]}', false],
      ['{}', false],
      ['null', false],
    ])('settings of a wrong type are named: %s, %s', async (settings, isNamed) => {
      const flow = await makeFlow(open().database);
      await set('flows', 'settings', flow.id, settings);
      const named = await runs().unreadableRows();
      expect(named.filter(({ userId }) => userId === flow.userId)).toEqual(
        isNamed ? [{ place: 'types in settings of flow', id: flow.id, userId: flow.userId }] : [],
      );
    });

    test('effects of a flow whose settings cannot be read are repeated', async () => {
      const flow = await makeFlow(open().database);
      const effects = new EffectStore({ database: open().database });
      await set('flows', 'settings', flow.id, String.raw`{"unfinishedEffects":"fail","pool":"\ud800"}`);
      expect(await effects.failsOnUnfinishedEffects(flow.id)).toBe(true);
      await set('flows', 'settings', flow.id, '[]');
      expect(await effects.failsOnUnfinishedEffects(flow.id)).toBe(false);
    });
  });
}
