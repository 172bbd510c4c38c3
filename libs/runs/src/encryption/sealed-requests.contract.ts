import type { RunRequest } from '@millrace/flow';
import { recordingLogger } from '@millrace/service/testing';
import { RunStore } from '../runs/run-store';
import { Encryption } from './encryption';
import { RequestSeal } from './request-seal';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, newRun, REQUEST } from '../testing/test-parts';

const CANARY = 'sk-canary-of-a-request';
const encryption = (byte: number) => Encryption.from([Buffer.alloc(32, byte).toString('base64')]);
const withVariable: RunRequest = { ...REQUEST, globalVariables: { KEY: CANARY } };
const withTweak: RunRequest = { ...REQUEST, tweaks: { Model: { api_key: CANARY } } };

/** Contract for requests that can contain secrets, on any database. */
export function describeSealedRequests(name: string, open: () => TestDatabase): void {
  describe(`sealed requests (${name})`, () => {
    const storeWith = (byte: number) =>
      new RunStore({
        database: open().database,
        seal: new RequestSeal({ encryption: encryption(byte) }),
      });
    const store = () => storeWith(1);
    const claim = (runId: string) => ({ runId, worker: 'worker', redelivered: false });

    async function column(id: string): Promise<string> {
      const { rows } = await open().database.query<{ request: string }>({
        text: 'SELECT request FROM runs WHERE id = $1',
        values: [id],
      });
      return rows[0]?.request ?? '';
    }

    test('variables and tweaks are nowhere in the table, and come back', async () => {
      const flow = await makeFlow(open().database);
      for (const request of [withVariable, withTweak]) {
        const accepted = newRun(flow, { request });
        const recorded = interactiveRun(flow, { request });
        const redelivered = newRun(flow, { request, lane: 'interactive' });
        await store().accept([accepted]);
        await store().record([recorded]);
        await store().beginRedelivered({ ...redelivered, worker: 'worker' });
        for (const { id } of [accepted, recorded, redelivered]) {
          expect(await column(id)).not.toContain(CANARY);
          expect((await store().find(flow.userId, id))?.request).toEqual(request);
        }
        expect((await store().claim([claim(accepted.id)])).get(accepted.id)).toMatchObject({ request });
      }
    });

    test('a replay has the request of the run it replays', async () => {
      const flow = await makeFlow(open().database);
      const run = interactiveRun(flow, { request: withTweak, status: 'failed', result: null });
      await store().record([run]);
      const replayId = (await store().replay(flow.userId, [run.id])).get(run.id) ?? '';
      expect((await store().find(flow.userId, replayId))?.request).toEqual(withTweak);
    });

    test('reads requests without secrets, and requests stored before sealing, unchanged', async () => {
      const flow = await makeFlow(open().database);
      const [plain, old] = [newRun(flow), newRun(flow, { request: withVariable })];
      await store().accept([plain]);
      await new RunStore({ database: open().database }).accept([old]);
      expect(JSON.parse(await column(plain.id))).toEqual(REQUEST);
      expect((await store().find(flow.userId, plain.id))?.request).toEqual(REQUEST);
      expect((await store().find(flow.userId, old.id))?.request).toEqual(withVariable);
    });

    test('a request whose key is missing is null and does not affect other runs of the same claim', async () => {
      const flow = await makeFlow(open().database);
      const [strange, own] = [
        newRun(flow, { request: withVariable }),
        newRun(flow, { request: withVariable }),
      ];
      await storeWith(2).accept([strange]);
      await store().accept([own]);
      const logger = recordingLogger();
      const seal = new RequestSeal({ encryption: encryption(1), logger });
      const logging = new RunStore({ database: open().database, seal });
      const claims = await logging.claim([claim(strange.id), claim(own.id)]);
      expect(claims.get(strange.id)).toMatchObject({ outcome: 'claimed', request: null });
      expect(claims.get(own.id)).toMatchObject({ outcome: 'claimed', request: withVariable });
      expect(await store().find(flow.userId, strange.id)).toMatchObject({ status: 'running', request: null });
      expect(logger.fieldsOf('could not decrypt a sealed request')).toEqual([{ error: expect.any(Error) }]);
      expect(seal.read('[')).toBeNull();
      expect(logger.fieldsOf('could not read a stored request')).toEqual([{}]);
    });
  });
}
