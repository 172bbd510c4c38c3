import type { AlertRule } from '@millrace/flow';
import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import { RunStore } from '../runs/run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, makeFlow, newRun, openCallbacks } from '../testing/test-parts';
import { usageCounts } from '../usage/usage-count';
import type { EndedUse } from '../usage/usage-count';
import { AlertStore } from './alert-store';
import type { AlertChange } from './alert-changes';
import { listAlerts } from './list-alerts';

const failing: AlertRule = { name: 'failing', measure: 'failures', threshold: 0.5, windowMinutes: 15 };
const AT_ONCE = { intervalMilliseconds: 0, pythonPool: null };

/** Contract for the alerts of flows, on any database. */
export function describeAlerts(name: string, open: () => TestDatabase): void {
  describe(`alerts of flows (${name})`, () => {
    const alerts = () => new AlertStore({ database: open().database });
    const runs = () => new RunStore({ database: open().database });
    const setRules = (flow: FlowRecord, rules: readonly AlertRule[]) =>
      new FlowStore({ database: open().database }).update(flow.userId, flow.id, {
        settings: {
          alerts: rules,
          callbacks: [{ url: 'https://a.test/x', secrets: ['A'], on: ['alert'] }],
        },
      });
    const ruled = async (...rules: readonly AlertRule[]) => {
      const flow = await makeFlow(open().database);
      await setRules(flow, rules);
      return flow;
    };
    /** Evaluates all rules; resolves to the changes of one flow. */
    const evaluated = async (flow: FlowRecord) =>
      ((await alerts().evaluate(AT_ONCE))?.changes ?? [])
        .filter(({ report }: AlertChange) => report.flow_id === flow.id)
        .map(({ report }) => report);
    const count = ({ id: flowId, userId }: FlowRecord, ...uses: readonly Partial<EndedUse>[]) =>
      Promise.all(
        uses.map((use) =>
          runs().countUsage(
            usageCounts({
              userId,
              flowId,
              keyId: null,
              pool: 'default',
              status: 'succeeded',
              usage: null,
              waitingMilliseconds: 0,
              runningMilliseconds: 0,
              ...use,
            }),
          ),
        ),
      );
    const passes = ({ id }: FlowRecord, time: string) =>
      open().database.query({
        text: 'UPDATE alert_samples SET at = at - $2::interval WHERE flow_id = $1',
        values: [id, time],
      });

    test('an alert begins and ends with its measure, and the callbacks of the flow report both', async () => {
      const flow = await ruled(failing);
      await count(flow, { status: 'failed' }, { status: 'failed' });
      // What ended before the first look at the flow is not known to be in the window.
      expect(await evaluated(flow)).toEqual([]);
      await count(flow, {}, { status: 'timed_out' });
      const [begun, ...others] = await evaluated(flow);
      expect(others).toEqual([]);
      expect(begun).toEqual({
        alert_id: expect.any(String),
        state: 'began',
        flow_id: flow.id,
        rule: 'failing',
        measure: 'failures',
        threshold: 0.5,
        window_minutes: 15,
        value: 0.5,
        runs: 2,
        began_at: expect.stringMatching(/^\d{4}-.*Z$/),
        ended_at: null,
      });
      expect(await evaluated(flow)).toEqual([]);
      await passes(flow, '16 minutes');
      // Nothing is known of the window until it has a sample.
      expect(await evaluated(flow)).toEqual([]);
      const [ended] = await evaluated(flow);
      expect(ended).toMatchObject({ alert_id: begun?.alert_id, state: 'ended', value: null, runs: 0 });
      const callbacks = openCallbacks(open().database);
      const due = (await callbacks.take({ limit: 100, perTarget: 100, places: new Map() })).filter(
        ({ userId }) => userId === flow.userId,
      );
      expect(due.map(({ kind, url, alert }) => [kind, url, alert])).toEqual([
        ['alert', 'https://a.test/x', begun],
        ['alert', 'https://a.test/x', ended],
      ]);
      expect(due[0]?.run.id).toBeNull();
      expect(await callbacks.list(flow.userId, {}, { limit: 10, offset: 0 })).toMatchObject([
        { kind: 'alert', runId: null, flowId: flow.id },
        { kind: 'alert', runId: null, flowId: flow.id },
      ]);
    });

    test('a window reaches back over the hours, as far as it is long', async () => {
      const day = { ...failing, threshold: 0.3, windowMinutes: 180 };
      const flow = await ruled(day);
      await evaluated(flow);
      await count(flow, { status: 'failed' }, {});
      await passes(flow, '2 hours');
      await open().database.query({
        text: `UPDATE usage_hours SET hour = hour - interval '2 hours' WHERE flow_id = $1`,
        values: [flow.id],
      });
      await count(flow, {});
      expect(await evaluated(flow)).toMatchObject([{ state: 'began', value: 1 / 3, runs: 3 }]);
    });

    test('latency, waiting and spend are measured, each from its threshold on', async () => {
      const rule = (measure: AlertRule['measure'], threshold: number, more = {}): AlertRule => ({
        name: `${measure} ${threshold}`,
        measure,
        threshold,
        windowMinutes: 5,
        ...more,
      });
      const flow = await ruled(
        rule('latency', 2),
        rule('latency', 2.1),
        rule('latency', 1, { minimumRuns: 3 }),
        rule('waiting', 0.5),
        rule('waiting', 60),
        rule('spend', 0.25),
        rule('spend', 0.26),
      );
      await evaluated(flow);
      const model = {
        provider: 'P',
        model: 'm',
        calls: 1,
        inputTokens: 1,
        outputTokens: 1,
        unpricedCalls: 0,
      };
      const usage = { ...model, cost: 0.25, models: [{ ...model, cost: 0.25 }] };
      await count(
        flow,
        { runningMilliseconds: 3_000, waitingMilliseconds: 1_000, usage },
        { runningMilliseconds: 1_000 },
      );
      const begun = await evaluated(flow);
      expect(begun.map(({ rule: of, value }) => [of, value])).toEqual([
        ['latency 2', 2],
        ['waiting 0.5', 0.5],
        ['spend 0.25', 0.25],
      ]);
    });

    test('a run that waits and does not begin is an alert of waiting, until it begins', async () => {
      const flow = await ruled({ name: 'stuck', measure: 'waiting', threshold: 120, windowMinutes: 5 });
      const run = newRun(flow);
      await runs().accept([run]);
      expect(await evaluated(flow)).toEqual([]);
      await open().database.query({
        text: `UPDATE runs SET accepted_at = accepted_at - interval '5 minutes' WHERE id = $1`,
        values: [run.id],
      });
      const [begun] = await evaluated(flow);
      expect(begun).toMatchObject({ state: 'began', runs: 0 });
      expect(begun?.value).toBeGreaterThanOrEqual(300);
      await runs().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      await runs().complete([completion(run.id, 1)]);
      expect(await evaluated(flow)).toMatchObject([{ state: 'ended', alert_id: begun?.alert_id }]);
    });

    test('alerts that have not ended are listed to their user, the newest first, page by page', async () => {
      const flow = await ruled(failing, { ...failing, name: 'spend', measure: 'spend', threshold: 0 });
      const list = (userId: string, flowId?: string, offset = 0) =>
        listAlerts(open().database, { userId, flowId, limit: 10, offset });
      expect(await list(flow.userId)).toEqual([]);
      await evaluated(flow);
      await count(flow, { status: 'failed' }, {});
      const begun = await evaluated(flow);
      const listed = await list(flow.userId, flow.id);
      expect(listed.map(({ id }) => id).toSorted()).toEqual(begun.map(({ alert_id: id }) => id).toSorted());
      expect(listed.find(({ rule }) => rule === 'failing')).toEqual({
        id: expect.any(String),
        flowId: flow.id,
        flowName: flow.name,
        rule: 'failing',
        measure: 'failures',
        threshold: 0.5,
        windowMinutes: 15,
        value: 0.5,
        beganAt: expect.any(Date),
      });
      expect(await list(flow.userId, undefined, 1)).toHaveLength(1);
      const other = await ruled(failing);
      expect([await list(other.userId), await list(flow.userId, other.id)]).toEqual([[], []]);
      await setRules(flow, [failing]);
      await evaluated(flow);
      expect(await list(flow.userId)).toMatchObject([{ rule: 'failing' }]);
      await setRules(flow, []);
      await evaluated(flow);
      expect(await list(flow.userId)).toEqual([]);
    });

    test('an alert ends with its rule, and is deleted with its flow', async () => {
      const flow = await ruled(failing);
      await evaluated(flow);
      await count(flow, { status: 'dead' });
      expect(await evaluated(flow)).toMatchObject([{ state: 'began' }]);
      await setRules(flow, [{ ...failing, threshold: 0.9 }]);
      expect(await evaluated(flow)).toMatchObject([{ state: 'ended', value: null, threshold: 0.5 }]);
      expect(await evaluated(flow)).toMatchObject([{ state: 'began', threshold: 0.9 }]);
      await setRules(flow, []);
      expect(await evaluated(flow)).toMatchObject([{ state: 'ended', value: null }]);
      await setRules(flow, [failing]);
      await evaluated(flow);
      await new FlowStore({ database: open().database }).delete(flow.userId, flow.id);
      expect(await evaluated(flow)).toEqual([]);
      const { rows } = await open().database.query({
        text: 'SELECT 1 FROM flow_alerts WHERE flow_id = $1 UNION ALL SELECT 1 FROM callback_deliveries WHERE flow_id = $1 AND alert_id IS NOT NULL',
        values: [flow.id],
      });
      expect(rows).toEqual([]);
    });

    test('a user with too many rules takes no place of another, and loses no alert that is open', async () => {
      await open().database.query({
        text: `UPDATE flows SET settings = '{}' WHERE position('"alerts"' IN settings::text) > 0`,
      });
      const { database } = open();
      const bounded = new AlertStore({ database, maximumWindows: 2 });
      const first = await ruled(failing);
      const second = await new FlowStore({ database }).create(first.userId, {
        name: 'second',
        document: { nodes: [], edges: [] },
      });
      await setRules(second, [failing]);
      await evaluated(second);
      for (const flow of [first, second]) await count(flow, { status: 'failed' });
      expect(await bounded.evaluate(AT_ONCE)).toMatchObject({ isPartial: false, changes: [{}, {}] });
      const other = await ruled(failing);
      await bounded.evaluate(AT_ONCE);
      await count(other, { status: 'failed' });
      const { isPartial, changes = [] } = (await bounded.evaluate(AT_ONCE)) ?? {};
      expect([isPartial, ...changes.map(({ report }) => [report.flow_id, report.state])]).toEqual([
        true,
        [other.id, 'began'],
      ]);
    });

    test('the rules are evaluated once in an interval', async () => {
      const flow = await ruled(failing);
      expect(await alerts().evaluate(AT_ONCE)).not.toBeNull();
      expect(await alerts().evaluate({ ...AT_ONCE, intervalMilliseconds: 60_000 })).toBeNull();
      await setRules(flow, []);
    });
  });
}
