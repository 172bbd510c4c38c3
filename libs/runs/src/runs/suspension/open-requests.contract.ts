import { randomUUID } from 'node:crypto';
import { Encryption } from '../../encryption/encryption';
import { RequestSeal } from '../../encryption/request-seal';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow, newRun } from '../../testing/test-parts';
import { RunStore } from '../run-store';
import type { OpenRequestsQuery, RequestPosition } from './decide-requests';

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
}
