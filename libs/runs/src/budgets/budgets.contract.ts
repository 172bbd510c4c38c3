import { randomUUID } from 'node:crypto';
import type { FlowRecord } from '../flows/flow-record';
import { ErasureStore } from '../erasure/erasure-store';
import type { Budget, LimitScope } from '../limits/limits';
import { MessageStore } from '../messages/message-store';
import { RunStore } from '../runs/run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, openCallbacks } from '../testing/test-parts';
import { ApiKeyStore } from '../users/api-key-store';
import type { KeyBounds } from '../users/key-bounds';
import { UserStore } from '../users/user-store';
import { BudgetStore } from './budget-store';
import type { CallToReserve } from './budget-store';
import { LimitStore } from './limit-store';

function call(flow: FlowRecord, changes: Partial<CallToReserve> = {}): CallToReserve {
  return {
    id: randomUUID(),
    runId: randomUUID(),
    flowId: flow.id,
    keyId: null,
    sessionId: 'session',
    tokens: 100,
    dollars: 0.5,
    ...changes,
  };
}

/** Contract of what calls of models spend of budgets, on any database. */
export function describeBudgets(name: string, open: () => TestDatabase): void {
  describe(`budgets (${name})`, () => {
    const store = () => new BudgetStore({ database: open().database });
    const limits = () => new LimitStore({ database: open().database });
    const limit = async (scope: LimitScope, id: string, ownerId: string, budget: Budget) =>
      expect(await limits().replace({ scope, id, ownerId }, { budget })).not.toBeNull();
    const spendOf = async (scope: LimitScope, id: string, ownerId: string) => {
      const found = await limits().spend({ scope, id, ownerId });
      return found.map(({ period, tokens, dollars, reserved }) => ({ period, tokens, dollars, reserved }));
    };
    const both = (amount: object) => [
      { period: 'day', ...amount },
      { period: 'month', ...amount },
    ];

    test('a call without a budget stores nothing, and its user is not among those with budgets', async () => {
      const flow = await makeFlow(open().database);
      expect(await store().reserve(flow.userId, [call(flow)])).toEqual(['free']);
      expect(await store().users(1_000)).not.toContain(flow.userId);
    });

    test('calls of keys, users, projects and flows are reserved, settled once, and refused beyond the budget', async () => {
      const flow = await makeFlow(open().database);
      const keys = new ApiKeyStore({ database: open().database });
      const keyId = (await keys.create(flow.userId, { name: 'key', expiresAt: null })).record.id;
      const projectId = flow.folderId ?? '';
      const objects = [
        ['key', keyId],
        ['user', flow.userId],
        ['project', projectId],
        ['flow', flow.id],
      ] as const;
      for (const [scope, id] of objects) {
        await limit(scope, id, flow.userId, { tokensPerDay: 250, dollarsPerMonth: 10 });
        expect(await store().users(1_000)).toContain(scope === 'key' ? keyId : flow.userId);
        const calls = [1, 2, 3].map(() => call(flow, { keyId }));
        const refusal = { scope, period: 'day', unit: 'tokens', limit: 250, counted: 200, wanted: 100 };
        expect(await store().reserve(flow.userId, calls)).toEqual(['reserved', 'reserved', refusal]);
        const nothing = { tokens: 0, dollars: 0 };
        expect(await spendOf(scope, id, flow.userId)).toEqual(
          both({ ...nothing, reserved: { tokens: 200, dollars: 1 } }),
        );
        const [first, second] = calls.map(({ id: callId }) => callId);
        const ended = [
          { id: first ?? '', tokens: 7, dollars: 0.125 },
          { id: second ?? '', tokens: null, dollars: null },
        ];
        for (let times = 0; times < 2; times += 1) await store().settle(ended);
        expect(await spendOf(scope, id, flow.userId)).toEqual(
          both({ tokens: 107, dollars: 0.625, reserved: nothing }),
        );
        await limits().replace({ scope, id, ownerId: flow.userId }, {});
      }
      expect(await store().users(1_000)).not.toContain(flow.userId);
    });

    test('the budget of a key counts in projects of other users, too, and their callbacks do not report it', async () => {
      const [first, second] = [await makeFlow(open().database), await makeFlow(open().database)];
      const { userId } = await makeFlow(open().database);
      const keys = new ApiKeyStore({ database: open().database });
      const bounds: KeyBounds = { endUsers: 'header' };
      const keyId = (await keys.create(userId, { name: 'key', expiresAt: null, bounds })).record.id;
      const reserve = async (flow: FlowRecord, sessionId: string) => {
        const made = call(flow, { keyId, sessionId });
        const outcomes = await store().reserve(flow.userId, [made]);
        await store().settle([{ id: made.id, tokens: 100, dollars: 0.5 }]);
        return outcomes;
      };
      await limit('key', keyId, userId, { tokensPerDay: 250, endUserTokensPerDay: 150, warnAt: 0.1 });
      await limit('flow', first.id, first.userId, { tokensPerDay: 1_000 });
      expect(await store().users(1_000)).toContain(keyId);
      expect(await reserve(first, 'ann::s')).toEqual(['reserved']);
      expect(await reserve(second, 'ann::s')).toMatchObject([{ scope: 'end_user', counted: 100 }]);
      expect(await reserve(second, 'bob::s')).toEqual(['reserved']);
      expect(await reserve(first, 'cara::s')).toMatchObject([{ scope: 'key', counted: 200 }]);
      const nothing = { tokens: 0, dollars: 0 };
      const day = { period: 'day', tokens: 200, dollars: 1, reserved: nothing };
      expect(await spendOf('key', keyId, userId)).toMatchObject([day, { tokens: 0 }]);
      const { rows } = await open().database.query({
        text: 'SELECT FROM budget_spend WHERE object_id = $1 AND warned',
        values: [keyId],
      });
      expect(rows).toEqual([]);
    });

    test('each end user of a key has a budget of their own, over all keys that act for them', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      const keys = new ApiKeyStore({ database: open().database });
      const make = async (bounds?: KeyBounds) =>
        (await keys.create(userId, { name: 'key', expiresAt: null, ...(bounds && { bounds }) })).record.id;
      const [keyId, second, other] = [
        await make({ endUsers: 'header' }),
        await make({ endUsers: 'token' }),
        await make(),
      ];
      for (const id of [keyId, second, other])
        await limit('key', id, userId, { endUserTokensPerDay: 250, endUserDollarsPerMonth: 10 });
      const reserve = async (sessionId: string, of = keyId) =>
        (await store().reserve(userId, [call(flow, { keyId: of, sessionId })]))[0];
      expect([await reserve('ann::s'), await reserve('ann::t', second)]).toEqual(['reserved', 'reserved']);
      const refusal = {
        scope: 'end_user',
        period: 'day',
        unit: 'tokens',
        limit: 250,
        counted: 200,
        wanted: 100,
      };
      expect(await reserve('ann::s')).toEqual(refusal);
      expect(await reserve('ann::s', second)).toEqual(refusal);
      expect([await reserve('anna::s'), await reserve('ann:')]).toEqual(['reserved', 'free']);
      // A key without end users can name any session.
      expect(await reserve('ann::s', other)).toBe('free');
      const spent = async (endUser: string) =>
        (await limits().endUserSpend(userId, endUser)).map(({ reserved }) => reserved.tokens);
      expect([await spent('ann'), await spent('anna'), await spent('bob')]).toEqual([
        [200, 200],
        [100, 100],
        [0, 0],
      ]);
      expect(await limits().endUserSpend((await makeFlow(open().database)).userId, 'ann')).toMatchObject([
        { reserved: { tokens: 0 } },
        { reserved: { tokens: 0 } },
      ]);
      const erasure = new ErasureStore({
        database: open().database,
        messages: new MessageStore({ database: open().database }),
      });
      expect([await erasure.eraseSpend(userId, 'ann'), await erasure.eraseSpend(userId, 'ann')]).toEqual([
        2, 0,
      ]);
      expect([await spent('ann'), await spent('anna')]).toEqual([
        [0, 0],
        [100, 100],
      ]);
    });

    test('many processes reserve at once and never exceed the budget', async () => {
      const flow = await makeFlow(open().database);
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 1_000, dollarsPerMonth: 4 });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store().reserve(flow.userId, [call(flow), call(flow)])),
      );
      expect(outcomes.flat().filter((outcome) => outcome === 'reserved')).toHaveLength(8);
      expect(await spendOf('flow', flow.id, flow.userId)).toEqual(
        both({ tokens: 0, dollars: 0, reserved: { tokens: 800, dollars: 4 } }),
      );
    });

    test('the calls of a run are added up for the smallest of its budgets', async () => {
      const flow = await makeFlow(open().database);
      await limit('user', flow.userId, flow.userId, { tokensPerRun: 500 });
      await limit('flow', flow.id, flow.userId, { tokensPerRun: 250, dollarsPerRun: 100 });
      const runId = randomUUID();
      const calls = [call(flow, { runId }), call(flow, { runId }), call(flow, { runId }), call(flow)];
      const refusal = { scope: 'flow', period: 'run', unit: 'tokens', limit: 250, counted: 200, wanted: 100 };
      expect(await store().reserve(flow.userId, calls)).toEqual([
        'reserved',
        'reserved',
        refusal,
        'reserved',
      ]);
      expect(await store().reserve(flow.userId, [call(flow, { runId })])).toEqual([refusal]);
    });

    test('a model without a price is refused by a budget in dollars, and counts for one in tokens', async () => {
      const flow = await makeFlow(open().database);
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 1_000 });
      const unpriced = () => call(flow, { dollars: null });
      expect(await store().reserve(flow.userId, [unpriced()])).toEqual(['reserved']);
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 1_000, dollarsPerDay: 1_000 });
      const refusal = {
        scope: 'flow',
        period: 'day',
        unit: 'dollars',
        limit: 1_000,
        counted: 0,
        wanted: null,
      };
      expect(await store().reserve(flow.userId, [unpriced()])).toEqual([refusal]);
    });

    test('a day and a month begin anew, and a call counts in those in which it began', async () => {
      const flow = await makeFlow(open().database);
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 100, tokensPerMonth: 250 });
      const before = call(flow);
      expect(await store().reserve(flow.userId, [before])).toEqual(['reserved']);
      expect(await store().reserve(flow.userId, [call(flow)])).toMatchObject([{ period: 'day' }]);
      const passes = (period: string, time: string) =>
        open().database.query({
          text: `UPDATE budget_spend SET start = start - $3::interval WHERE user_id = $1 AND period = $2`,
          values: [flow.userId, period, time],
        });
      await passes('day', '1 day');
      const today = call(flow);
      expect(await store().reserve(flow.userId, [today])).toEqual(['reserved']);
      await store().settle([
        { id: before.id, tokens: 60, dollars: 0 },
        { id: today.id, tokens: 100, dollars: 0 },
      ]);
      const nothing = { tokens: 0, dollars: 0 };
      expect(await spendOf('flow', flow.id, flow.userId)).toEqual([
        { period: 'day', tokens: 100, dollars: 0, reserved: nothing },
        { period: 'month', tokens: 160, dollars: 0, reserved: nothing },
      ]);
      await passes('day', '2 days');
      expect(await store().reserve(flow.userId, [call(flow)])).toMatchObject([{ period: 'month' }]);
      await passes('month', '31 days');
      expect(await store().reserve(flow.userId, [call(flow)])).toEqual(['reserved']);
    });

    test('a user cannot reach the spend of another, whose deletion takes it along', async () => {
      const [flow, theirs] = [await makeFlow(open().database), await makeFlow(open().database)];
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 1_000 });
      await limit('flow', theirs.id, theirs.userId, { tokensPerDay: 1_000 });
      await store().reserve(theirs.userId, [call(theirs)]);
      // A call that names a flow of another user is not counted there.
      expect(await store().reserve(flow.userId, [call(theirs)])).toEqual(['free']);
      const nothing = { tokens: 0, dollars: 0 };
      expect(await spendOf('flow', theirs.id, flow.userId)).toEqual(both({ ...nothing, reserved: nothing }));
      await new UserStore({ database: open().database }).delete(theirs.userId);
      expect(await store().reserve(theirs.userId, [call(theirs)])).toEqual(['free']);
      const { rows } = await open().database.query({
        text: `SELECT FROM budget_spend WHERE user_id = $1 UNION ALL SELECT FROM budget_reservations WHERE user_id = $1`,
        values: [theirs.userId],
      });
      expect(rows).toEqual([]);
    });

    test('the callbacks of the flow report a share that is passed, once in a period', async () => {
      const flow = await makeFlow(open().database);
      const callback = { url: 'https://a.test/x', secrets: ['A'] };
      await open().database.query({
        text: `UPDATE flows SET settings = $2 WHERE id = $1`,
        values: [flow.id, JSON.stringify({ callbacks: [{ ...callback, on: ['budget'] }, callback] })],
      });
      await limit('flow', flow.id, flow.userId, { tokensPerMonth: 1_000, dollarsPerMonth: 50, warnAt: 0.8 });
      const spends = async (tokens: number) => {
        const made = call(flow, { runId });
        expect(await store().reserve(flow.userId, [made])).toEqual(['reserved']);
        await store().settle([{ id: made.id, tokens, dollars: 0.25 }]);
      };
      const runId = randomUUID();
      const callbacks = openCallbacks(open().database);
      const taken = async () =>
        (await callbacks.take({ limit: 100, perTarget: 100, places: new Map() })).filter(
          ({ userId }) => userId === flow.userId,
        );
      await spends(799);
      expect(await taken()).toEqual([]);
      await spends(1);
      await spends(1);
      const due = await taken();
      expect(due).toMatchObject([{ kind: 'budget', url: callback.url, run: { id: runId, flowId: flow.id } }]);
      const now = new Date();
      expect(due[0]?.budget).toEqual({
        scope: 'flow',
        id: flow.id,
        period: 'month',
        start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString(),
        dollars: 0.5,
        tokens: 800,
        dollars_limit: 50,
        tokens_limit: 1_000,
        run_id: runId,
        flow_id: flow.id,
        passed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      expect(await callbacks.list(flow.userId, {}, { limit: 10, offset: 0 })).toMatchObject([
        { kind: 'budget', runId },
      ]);
    });

    test('the upkeep deletes what is too old', async () => {
      const flow = await makeFlow(open().database);
      await limit('flow', flow.id, flow.userId, { tokensPerDay: 1_000, tokensPerRun: 1_000 });
      await store().reserve(flow.userId, [call(flow)]);
      await open().database.query({
        text: `INSERT INTO budget_spend (id, user_id, scope, object_id, period, start)
          SELECT gen_random_uuid(), $1, 'end_user', gen_random_uuid(), 'month', now() - days * interval '1 day'
          FROM unnest(ARRAY[35, 37]) AS days`,
        values: [flow.userId],
      });
      const periods = async () => {
        const { rows } = await open().database.query<{ period: string }>({
          text: `SELECT period FROM budget_spend WHERE user_id = $1 ORDER BY period`,
          values: [flow.userId],
        });
        return rows.map(({ period }) => period);
      };
      const runs = new RunStore({ database: open().database });
      const prune = () => runs.prune({ retentionDays: 30, keptFlowVersions: 1, limit: 100, versionLimit: 0 });
      const ages = (days: number) =>
        open().database.query({
          text: `UPDATE budget_spend SET updated_at = now() - $2 * interval '1 day' WHERE user_id = $1`,
          values: [flow.userId, days],
        });
      await prune();
      // Of the month of an end user that is over, nothing is left.
      expect(await periods()).toEqual(['day', 'month', 'run']);
      await ages(5);
      await prune();
      expect(await periods()).toEqual(['day', 'month']);
      await ages(401);
      await prune();
      expect(await periods()).toEqual([]);
    });
  });
}

/** Contract of the budget of a key that runs flows of another user, on any database. */
export function describeBudgetsOfMembers(name: string, open: () => TestDatabase): void {
  describe(`budgets of members (${name})`, () => {
    const store = () => new BudgetStore({ database: open().database });

    test('a key with a budget warns of it in runs of its user, also beside runs in a project of another user', async () => {
      const [own, foreign] = [await makeFlow(open().database), await makeFlow(open().database)];
      const { userId } = own;
      const keys = new ApiKeyStore({ database: open().database });
      const keyId = (await keys.create(userId, { name: 'key', expiresAt: null })).record.id;
      const budget = { tokensPerDay: 1_000, warnAt: 0.2 };
      await new LimitStore({ database: open().database }).replace(
        { scope: 'key', id: keyId, ownerId: userId },
        { budget },
      );
      const reserve = async (flow: FlowRecord) => {
        const made = call(flow, { keyId });
        expect(await store().reserve(flow.userId, [made])).toEqual(['reserved']);
        return [{ id: made.id, tokens: 150, dollars: 0.5 }];
      };
      const warned = async () => {
        const { rows } = await open().database.query<{ warned: boolean }>({
          text: "SELECT warned FROM budget_spend WHERE object_id = $1 AND period = 'day'",
          values: [keyId],
        });
        return rows.map((row) => row.warned);
      };
      const [first, ofMember, second] = [await reserve(own), await reserve(foreign), await reserve(own)];
      await store().settle(first);
      await store().settle(ofMember);
      expect(await warned()).toEqual([false]);
      await store().settle(second);
      expect(await warned()).toEqual([true]);
    });
  });
}
