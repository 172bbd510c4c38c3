import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encryption } from '../../encryption/encryption';
import { RequestSeal } from '../../encryption/request-seal';
import { FlowStore } from '../../flows/flow-store';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow, newRun } from '../../testing/test-parts';
import { UserStore } from '../../users/user-store';
import { RunStore } from '../run-store';
import type { OpenRequestsQuery, RequestPosition } from './decide-requests';

const NAMES_TO_IDS = join(__dirname, '../../../../database/migrations/0081_answered_by_ids.sql');
const IDS = ['a', 'b', 'c', 'd', 'e'];

/** Contract for the pages of requests that wait, on any database. */
export function describeOpenRequests(name: string, open: () => TestDatabase): void {
  const encryption = Encryption.from(['07'.repeat(32)]);
  const store = () => new RunStore({ database: open().database, seal: new RequestSeal({ encryption }) });

  /** Resolves to a run that asks these questions, each with a prompt of so many characters. */
  async function asking(characters: number) {
    const run = newRun(await makeFlow(open().database));
    await store().accept([run]);
    await store().claim([{ runId: run.id, worker: 'worker', redelivered: false }]);
    const requests = IDS.map((request_id) => ({
      request_id,
      kind: 'node_input' as const,
      prompt: 'x'.repeat(characters),
      options: [],
      allowed_decisions: ['approve'],
      timeout_seconds: 0,
      fallback_action: null,
    }));
    await store().suspend({ runId: run.id, attempt: 1, results: '{}', requests, messages: [] });
    return run;
  }

  test.each([
    ['its limit', { limit: 2, characters: 10, sizes: [2, 2, 1] }],
    ['its bytes', { limit: 100, characters: 3_000_000, sizes: [3, 2] }],
    ['the bytes of one', { limit: 100, characters: 9_000_000, sizes: [1, 1, 1, 1, 1] }],
  ])(
    `a page of requests is bounded by %s; so are those of one run (${name})`,
    async (_, { limit, characters, sizes }) => {
      const run = await asking(characters);
      const read = async (filter: Omit<OpenRequestsQuery, 'limit' | 'after'>) => {
        const pages: string[][] = [];
        let after: RequestPosition | undefined;
        do {
          const { requests, next } = await store().openHumanRequests(run.userId, { ...filter, limit, after });
          pages.push(requests.map(({ request_id: id }) => id));
          after = next ?? undefined;
        } while (after !== undefined && pages.length < 10);
        return pages;
      };
      const pages = await read({ flowId: run.flowId });
      expect(pages.map(({ length }) => length)).toEqual(sizes);
      expect(pages.flat().toSorted()).toEqual(IDS);
      expect(await read({ flowId: null, runId: run.id })).toEqual(pages);
      expect(await read({ flowId: null, runId: randomUUID() })).toEqual([[]]);
    },
  );

  test(`the users that a flow names answer what its runs ask, and list it (${name})`, async () => {
    const { database } = open();
    const users = new UserStore({ database });
    const create = (isAdmin: boolean) => users.create({ username: `user-${randomUUID()}`, isAdmin });
    const [named, other, admin] = [await create(false), await create(false), await create(true)];
    const run = await asking(1);
    const mayAnswer = async (userId: string) =>
      (await store().humanRequests(userId, run.id)).slice(0, 1).map((request) => request.mayAnswer);
    const lists = async (userId: string) => {
      const found = await store().openHumanRequests(userId, { flowId: run.flowId, limit: 1 });
      return found.requests.map(({ runId, answeredBy }) => [runId, answeredBy]);
    };
    expect([await mayAnswer(run.userId), await mayAnswer(named.id)]).toEqual([[true], []]);
    const settle = (answeredBy: readonly string[]) =>
      new FlowStore({ database }).update(run.userId, run.flowId, { settings: { answeredBy } });
    await settle([named.id, 'absent']);
    const who = [run.userId, named.id, other.id, admin.id];
    expect(await Promise.all(who.map(mayAnswer))).toEqual([[false], [true], [], []]);
    expect(await lists(named.id)).toEqual([[run.id, [named.username, 'absent']]]);
    await users.change(named.id, { username: `renamed-${named.username}` });
    await users.change(other.id, { username: named.username });
    expect(await Promise.all(who.map(mayAnswer))).toEqual([[false], [true], [], []]);
    expect(await lists(named.id)).toEqual([[run.id, [`renamed-${named.username}`, 'absent']]]);
    expect(await lists(other.id)).toEqual([]);
    await settle([run.userId, 'superusers']);
    expect(await Promise.all(who.map(mayAnswer))).toEqual([[true], [], [], [true]]);
    expect(await lists(admin.id)).toEqual([[run.id, [expect.any(String), 'superusers']]]);
  });

  test(`names of users in stored settings become ids (${name})`, async () => {
    const { database } = open();
    const named = await new UserStore({ database }).create({
      username: `user-${randomUUID()}`,
      isAdmin: false,
    });
    const flows = new FlowStore({ database });
    const { userId, flowId } = newRun(await makeFlow(database));
    const answeredBy = ['superusers', named.username, userId, 'absent'];
    await flows.update(userId, flowId, { settings: { answeredBy, durable: true } });
    const before = await flows.find(userId, flowId);
    await database.query({ text: readFileSync(NAMES_TO_IDS, 'utf8') });
    const after = await flows.find(userId, flowId);
    const settings = { answeredBy: ['superusers', named.id, userId, 'absent'], durable: true };
    expect(after).toEqual({ ...before, settings });
  });
}
