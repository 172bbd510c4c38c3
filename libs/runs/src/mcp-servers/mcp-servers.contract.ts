import { randomBytes, randomUUID } from 'node:crypto';
import { Encryption } from '../encryption/encryption';
import { McpServerStore } from './mcp-server-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

/** Contract of McpServerStore, on any database. */
export function describeMcpServers(name: string, open: () => TestDatabase): void {
  describe(`MCP servers (${name})`, () => {
    const encryption = Encryption.from([randomBytes(32).toString('base64')]);
    const servers = () => new McpServerStore({ database: open().database, encryption });

    test('returns a server as it was written; the table does not contain its keys in the clear', async () => {
      const user = await makeUser(open().database);
      const key = `secret-${randomUUID()}`;
      const config = { url: 'https://mill.test/mcp', headers: { authorization: key }, further: [1, null] };
      await servers().create(user.id, 'mill', config);
      expect(await servers().find(user.id, 'mill')).toEqual(config);
      const { rows } = await open().database.query({ text: 'SELECT * FROM mcp_servers' });
      expect(JSON.stringify(rows)).not.toContain(key);
    });

    test('a name belongs to one server of a user, and that server can be replaced', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      await servers().create(user.id, 'same', { url: '1' });
      await expect(servers().create(user.id, 'same', { url: '2' })).rejects.toMatchObject({ field: 'name' });
      await servers().create(other.id, 'same', { url: '3' });
      await servers().save(user.id, 'same', { url: '4' });
      await servers().save(user.id, 'new', { command: 'mill' });
      expect(await servers().names(user.id)).toEqual(['same', 'new']);
      expect(await servers().find(user.id, 'same')).toEqual({ url: '4' });
      expect(await servers().find(other.id, 'same')).toEqual({ url: '3' });
      expect(await servers().find(other.id, 'new')).toBeNull();
    });

    test('deletes a server for its user only', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      await servers().create(user.id, 'mill', {});
      await servers().create(other.id, 'mill', {});
      expect(await servers().delete(user.id, 'mill')).toBe(true);
      expect(await servers().delete(user.id, 'mill')).toBe(false);
      expect(await servers().delete(user.id, 'mill\u0000')).toBe(false);
      expect(await servers().find(user.id, 'mill\u0000')).toBeNull();
      expect(await servers().names(other.id)).toEqual(['mill']);
    });
  });
}
