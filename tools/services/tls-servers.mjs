// Starts RabbitMQ, Redis and PostgreSQL with TLS and client certificates, for tests:
//   node tls-servers.mjs <folder for their files> <folder of ca.pem, server.pem, server-key.pem>
// Prints their TLS ports as a line of JSON, runs until standard input ends, then stops them.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { startPrivatePostgres } from './private-postgres.mjs';
import { startPrivateRabbitmq } from './private-rabbitmq.mjs';
import { startPrivateRedis } from './private-redis.mjs';

const [directory, certificates] = process.argv.slice(2);

/** The servers can run as other users, who cannot read every folder of this one. */
const files = join(directory, 'tls');
mkdirSync(files, { recursive: true, mode: 0o755 });
const [ca, cert, key] = ['ca.pem', 'server.pem', 'server-key.pem'].map((name) => {
  copyFileSync(join(certificates, name), join(files, name));
  return join(files, name);
});
const tls = { ca, cert, key };

const started = await Promise.allSettled([
  startPrivateRabbitmq({ directory: join(directory, 'rabbitmq'), tls }),
  startPrivateRedis({ directory: join(directory, 'redis'), tls }),
  startPrivatePostgres({ directory: join(directory, 'postgres'), tls }),
]);
const [broker, keyValue, database] = started;
if (broker.status === 'fulfilled' && keyValue.status === 'fulfilled' && database.status === 'fulfilled') {
  const ports = {
    broker: broker.value.tlsPort,
    keyValue: keyValue.value.tlsPort,
    database: Number(new URL(database.value.url).port),
  };
  process.stdout.write(`${JSON.stringify(ports)}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
}
await Promise.all(started.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
const failed = started.find(({ status }) => status === 'rejected');
if (failed?.status === 'rejected') throw failed.reason;
