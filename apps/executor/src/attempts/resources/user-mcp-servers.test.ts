import { randomBytes, randomUUID } from 'node:crypto';
import { Encryption, McpServerStore, UserStore } from '@millrace/runs';
import { openTestDatabase } from '../../testing/test-installation';
import { UserMcpServers } from './attempt-resources';

test('finds the stored servers of its user in the format of components, and none of other users', async () => {
  const database = await openTestDatabase();
  const store = new McpServerStore({
    database,
    encryption: Encryption.from([randomBytes(32).toString('base64')]),
  });
  const users = new UserStore({ database });
  const [user, other] = await Promise.all(
    ['', ''].map(() => users.create({ username: randomUUID(), isAdmin: false })),
  );
  const config = { url: 'https://mill.test/mcp', headers: { 'x-key': 'k' }, timeout: 30 };
  await store.create(user!.id, 'mill', config);
  expect(await new UserMcpServers(store, user!.id).find('mill')).toEqual(config);
  expect(await new UserMcpServers(store, user!.id).find('wheel')).toBeNull();
  expect(await new UserMcpServers(store, other!.id).find('mill')).toBeNull();
  await database.close();
}, 60_000);
