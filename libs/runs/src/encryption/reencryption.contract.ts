import { randomBytes } from 'node:crypto';
import type { FlowRecord } from '../flows/flow-record';
import { ApiKeyStore } from '../users/api-key-store';
import { ConsoleSessionStore } from '../users/console-session-store';
import { hashApiKey } from '../users/hash-api-key';
import { McpServerStore } from '../mcp-servers/mcp-server-store';
import { RunStore } from '../runs/run-store';
import { TriggerStore } from '../triggers/trigger-store';
import { VariableStore } from '../variables/variable-store';
import { isFirstKeyInUse } from './check-encryption-key';
import { encryptedPages, encryptedValues } from './encrypted-values';
import { Encryption } from './encryption';
import { countEncryptedValues, reencryptValues } from './reencrypt-values';
import { RequestSeal } from './request-seal';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, newRun, REQUEST } from '../testing/test-parts';
import { triggerParts } from '../testing/trigger-parts';

const SECRET = 'sk-under-any-key';
const key = () => randomBytes(32).toString('base64');
const keyIdOf = (text: string) => Encryption.keyIdOf(Encryption.from([text]).encrypt(''));

/** Contract of encrypting stored values again, on any database. Empties the tables that contain encrypted values. */
export function describeReencryption(name: string, open: () => TestDatabase): void {
  describe(`encrypting again (${name})`, () => {
    const [first, second, third] = [key(), key(), key()];
    const parts = triggerParts(open);
    let flow: FlowRecord;

    /** Stores one value of each place with the first of these keys. */
    async function fill(...keys: string[]) {
      const { database } = open();
      const encryption = Encryption.from(keys);
      flow = await makeFlow(database);
      const variables = new VariableStore({ database, encryption });
      await variables.create(flow.userId, {
        name: 'KEY',
        value: SECRET,
        type: 'Credential',
        defaultFields: [],
      });
      await new McpServerStore({ database, encryption }).create(flow.userId, 'server', { url: SECRET });
      const trigger = await parts.make(flow);
      const signing = await new TriggerStore({ database, encryption }).rotateSecret(flow.userId, trigger.id);
      const run = newRun(flow, { request: { ...REQUEST, globalVariables: { KEY: SECRET } } });
      const runs = new RunStore({ database, seal: new RequestSeal({ encryption }) });
      await runs.accept([run, newRun(flow)]);
      const { record } = await new ApiKeyStore({ database }).create(flow.userId, {
        name: 'key',
        expiresAt: null,
      });
      const { session } = await new ConsoleSessionStore({ database, encryption }).create({
        tokenHash: hashApiKey(run.id),
        principal: { userId: flow.userId, keyId: record.id },
        lifetimeSeconds: 3_600,
        userAgent: null,
        clientAddress: null,
        issuerToken: { kind: 'refresh', token: SECRET },
        maximumSessions: 10,
      });
      return { variables, signing, runId: run.id, sessionId: session.id };
    }

    /** Reads what `fill` stored, with only these keys. */
    async function read({ signing, runId, sessionId }: Awaited<ReturnType<typeof fill>>, ...keys: string[]) {
      const { database } = open();
      const encryption = Encryption.from(keys);
      const runs = new RunStore({ database, seal: new RequestSeal({ encryption }) });
      const store = new TriggerStore({ database, encryption });
      const hook = await store.findByAddress(signing?.publicId ?? '', null);
      const sessions = new ConsoleSessionStore({ database, encryption });
      const begun = await sessions.beginCheck(sessionId, new Date(Date.now() + 60_000));
      if (begun !== null) await sessions.abandonCheck(sessionId, begun.claim);
      return [
        await new VariableStore({ database, encryption }).value(flow.userId, 'KEY'),
        (await new McpServerStore({ database, encryption }).find(flow.userId, 'server'))?.url,
        hook?.secret === signing?.secret ? SECRET : undefined,
        (await runs.find(flow.userId, runId))?.request?.globalVariables['KEY'],
        begun?.issuerToken.token,
      ];
    }

    // The contract of suspended runs covers theirs.
    const filledPlaces = ['variables', 'mcp_servers', 'triggers', 'runs', 'console_sessions'] as const;
    const reencrypt = (...keys: string[]) =>
      reencryptValues({
        database: open().database,
        encryption: Encryption.from(keys),
        places: filledPlaces,
      });
    const places = (counts: readonly object[], ...of: string[]) =>
      counts.map((one) => [...['place', ...of].map((field) => (one as Record<string, unknown>)[field])]);

    const empty = () =>
      open().database.query({
        text: 'TRUNCATE variables, mcp_servers, triggers, runs, console_sessions, encryption_canary CASCADE',
      });
    beforeEach(empty);
    // Runs that wait would be swept in other contracts.
    afterAll(empty);

    test('each value is encrypted with the first key, and the old key is not needed any more', async () => {
      const filled = await fill(first);
      const done = await reencrypt(second, first);
      expect(places(done, 'reencrypted', 'current', 'older', 'unreadable')).toEqual([
        ['variables', 1, 1, 0, 0],
        ['mcp_servers', 1, 1, 0, 0],
        ['triggers', 1, 1, 0, 0],
        ['runs', 1, 1, 0, 0],
        ['console_sessions', 1, 1, 0, 0],
      ]);
      for (const { byKey } of done) expect(byKey).toEqual({ [keyIdOf(second)]: 1 });
      expect(await read(filled, second)).toEqual([SECRET, SECRET, SECRET, SECRET, SECRET]);
      const again = await reencrypt(second, first);
      expect(again.map(({ reencrypted }) => reencrypted)).toEqual([0, 0, 0, 0, 0]);
    });

    test('values are read in parts of 4 MB at most, a larger one alone', async () => {
      const { database } = open();
      const { variables } = await fill(first);
      for (const other of ['SECOND', 'THIRD', 'FOURTH'])
        await variables.create(flow.userId, {
          name: other,
          value: SECRET,
          type: 'Credential',
          defaultFields: [],
        });
      const sizes = [1_500_000, 2_500_000, 1, 5_000_000];
      const sizesRead: number[] = [];
      for await (const { heads } of encryptedPages(database, 'variables')) {
        const sized = heads.map((head, index) => ({ ...head, bytes: sizes[index] ?? 0 }));
        for await (const values of encryptedValues(database, 'variables', sized))
          sizesRead.push(values.length);
      }
      expect(sizesRead).toEqual([2, 1, 1]);
    });

    test('an interrupted call stores whole pages, and the next call continues', async () => {
      const filled = await fill(first);
      const interruption = new AbortController();
      const interrupted = reencryptValues({
        database: open().database,
        encryption: Encryption.from([second, first]),
        signal: interruption.signal,
        places: filledPlaces,
        onProgress: (place) => {
          if (place === 'variables') interruption.abort(new Error('interrupted'));
        },
      });
      await expect(interrupted).rejects.toThrow('interrupted');
      expect(await read(filled, second, first)).toEqual([SECRET, SECRET, SECRET, SECRET, SECRET]);
      const continued = await reencrypt(second, first);
      expect(continued.map(({ reencrypted }) => reencrypted)).toEqual([0, 1, 1, 1, 1]);
    });

    test('a value that no key opens is named and stays; the others are encrypted again', async () => {
      await fill(first);
      const { variables } = await fill(third);
      const { id } = (await variables.list(flow.userId))[0] ?? { id: '' };
      const { username } = (
        await open().database.query<{ username: string }>({
          text: 'SELECT username FROM users WHERE id = $1',
          values: [flow.userId],
        })
      ).rows[0] ?? { username: '' };
      const done = await reencrypt(second, first);
      expect(places(done, 'reencrypted', 'unreadable')).toEqual([
        ['variables', 1, 1],
        ['mcp_servers', 1, 1],
        ['triggers', 1, 1],
        ['runs', 1, 1],
        ['console_sessions', 1, 1],
      ]);
      expect(done[0]?.named).toEqual([{ id, label: `${username}/KEY` }]);
      expect(await variables.value(flow.userId, 'KEY')).toBe(SECRET);
    });

    test('a damaged value is unreadable although its key is known', async () => {
      await fill(first);
      await open().database.query({
        text: `UPDATE variables SET encrypted_value = left(encrypted_value, -4) || 'AAAA'`,
      });
      const counts = await countEncryptedValues({
        database: open().database,
        encryption: Encryption.from([first]),
        places: filledPlaces,
      });
      expect(places(counts, 'current', 'older', 'unreadable')).toEqual([
        ['variables', 0, 0, 1],
        ['mcp_servers', 1, 0, 0],
        ['triggers', 1, 0, 0],
        ['runs', 1, 0, 0],
        ['console_sessions', 1, 0, 0],
      ]);
    });

    test('a value that a service writes meanwhile is not overwritten', async () => {
      const { variables } = await fill(first);
      const [variable] = await variables.list(flow.userId);
      const { database } = open();
      let isWritten = false;
      const racing = {
        ...database,
        query: async (statement: Parameters<typeof database.query>[0]) => {
          if (!isWritten && statement.text.startsWith('UPDATE variables')) {
            isWritten = true;
            await variables.update(flow.userId, variable?.id ?? '', { value: 'written' });
          }
          return database.query(statement);
        },
      } as typeof database;
      const done = await reencryptValues({ database: racing, encryption: Encryption.from([second, first]) });
      expect(done[0]).toMatchObject({ reencrypted: 0, older: 1 });
      expect(await variables.value(flow.userId, 'KEY')).toBe('written');
      expect((await reencrypt(second, first))[0]).toMatchObject({ reencrypted: 1, older: 0 });
    });

    test('more values than one page are visited once each', async () => {
      const { database } = open();
      flow = await makeFlow(database);
      const encryption = Encryption.from([first]);
      await database.query({
        text: `INSERT INTO variables (id, user_id, name, encrypted_value, default_fields)
          SELECT gen_random_uuid(), $1, 'V' || n, $2, '{}' FROM generate_series(1, 2500) AS n`,
        values: [flow.userId, encryption.encrypt(SECRET)],
      });
      await database.query({
        text: `INSERT INTO mcp_servers (user_id, name, encrypted_config)
          SELECT $1, 'S' || n, $2 FROM generate_series(1, 2500) AS n`,
        values: [flow.userId, encryption.encrypt('{}')],
      });
      const done = await reencrypt(second, first);
      expect(places(done, 'reencrypted', 'current').slice(0, 2)).toEqual([
        ['variables', 2500, 2500],
        ['mcp_servers', 2500, 2500],
      ]);
    });

    test('the first key is in use once the canary is encrypted with it', async () => {
      const { database } = open();
      const [old, both] = [Encryption.from([first]), Encryption.from([second, first])];
      expect(await isFirstKeyInUse(database, both)).toBe(true);
      await database.query({
        text: 'INSERT INTO encryption_canary (encrypted_value) VALUES ($1)',
        values: [old.encrypt('canary')],
      });
      expect(await isFirstKeyInUse(database, both)).toBe(false);
      await reencrypt(second, first);
      expect(await isFirstKeyInUse(database, both)).toBe(true);
    });
  });
}
