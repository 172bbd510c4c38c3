import { randomBytes } from 'node:crypto';
import { createLogger, SettingsError } from '@millrace/service';
import { McpServerStore } from '../mcp-servers/mcp-server-store';
import { VariableStore } from '../variables/variable-store';
import { checkEncryptionKey } from './check-encryption-key';
import { Encryption } from './encryption';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

/** Contract of checkEncryptionKey, on any database. Empties the tables that contain encrypted values. */
export function describeEncryptionKey(name: string, open: () => TestDatabase): void {
  describe(`encryption key (${name})`, () => {
    const [first, second, third] = Array.from({ length: 3 }, () => randomBytes(32).toString('base64'));
    let lines: { msg: string; values?: number }[];
    const logger = createLogger({
      name: 'test',
      level: 'warn',
      destination: { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
    });
    const start = (...keys: (string | undefined)[]) => {
      const encryption = Encryption.from(keys.map((key) => key ?? ''));
      return checkEncryptionKey({ database: open().database, encryption, logger });
    };
    const canary = async () =>
      (
        await open().database.query<{ value: string }>({
          text: 'SELECT encrypted_value AS value FROM encryption_canary',
        })
      ).rows;
    const addVariable = async (key: string | undefined) => {
      const { database } = open();
      const variables = new VariableStore({ database, encryption: Encryption.from([key ?? '']) });
      const user = await makeUser(database);
      await variables.create(user.id, { name: 'KEY', value: 'x', type: 'Credential', defaultFields: [] });
    };

    beforeEach(async () => {
      lines = [];
      await open().database.query({ text: 'TRUNCATE variables, mcp_servers, encryption_canary' });
    });

    test('the key of the first start is required at every later start', async () => {
      await start(first);
      await start(first);
      expect(await canary()).toHaveLength(1);
      const refused = start(second);
      await expect(refused).rejects.toBeInstanceOf(SettingsError);
      await expect(refused).rejects.toThrow(/^Wrong settings:\n {2}MILLRACE_ENCRYPTION_KEY lists none/);
      await start(first);
    });

    test('a new key goes before the old one, which can be omitted from the next start on', async () => {
      await start(first);
      await start(first, second);
      await expect(start(second)).rejects.toBeInstanceOf(SettingsError);
      await start(second, first);
      await start(second);
      await expect(start(first)).rejects.toBeInstanceOf(SettingsError);
    });

    test('services that start concurrently agree on one key', async () => {
      const keys = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? first : second));
      const outcomes = await Promise.allSettled(keys.map((key) => start(key)));
      const started = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      expect(new Set(started).size).toBe(1);
      expect(started).toHaveLength(4);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(SettingsError);
      expect(await canary()).toHaveLength(1);
    });

    test.each([
      ['a variable', addVariable],
      [
        'an MCP server',
        async (key: string | undefined) => {
          const { database } = open();
          const servers = new McpServerStore({ database, encryption: Encryption.from([key ?? '']) });
          await servers.create((await makeUser(database)).id, 'server', { url: 'http://a.example' });
        },
      ],
    ])(
      'without a canary, a key other than that of %s is refused and writes no canary',
      async (_what, add) => {
        await add(first);
        await expect(start(second)).rejects.toBeInstanceOf(SettingsError);
        expect(await canary()).toEqual([]);
        await start(first);
        await expect(start(second)).rejects.toBeInstanceOf(SettingsError);
      },
    );

    test('before the canary table exists, the stored values decide', async () => {
      const { database } = open();
      await database.query({ text: 'ALTER TABLE encryption_canary RENAME TO set_aside' });
      try {
        await start(first);
        await addVariable(first);
        await start(first);
        await expect(start(second)).rejects.toBeInstanceOf(SettingsError);
      } finally {
        await database.query({ text: 'ALTER TABLE set_aside RENAME TO encryption_canary' });
      }
    });

    test('logs the number of values whose key is missing at each start', async () => {
      await addVariable(first);
      await addVariable(second);
      await addVariable(third);
      await start(second);
      expect(lines).toMatchObject([{ values: 2, msg: expect.stringContaining('MILLRACE_ENCRYPTION_KEY') }]);
      lines = [];
      await start(second, first, third);
      expect(lines).toEqual([]);
    });
  });
}
