import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openRedisStore } from './open-redis-store';

test('logs an unreachable server at growing intervals', async () => {
  const lines: { msg: string; failures?: number }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const store = await openRedisStore({
    url: `redis://127.0.0.1:${await freePort()}`,
    prefix: '',
    name: 'test',
    logger,
  });
  const loggedFailures = () => lines.flatMap(({ failures }) => failures ?? []);
  await until(() => loggedFailures().includes(4), 'four failures in the log', 60_000);
  await store.close();
  expect(loggedFailures()).toEqual([1, 2, 4]);
});

/** Returns a port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
