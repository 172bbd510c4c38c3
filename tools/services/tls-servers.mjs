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
const [broker, keyValue, database] = started.map(({ value }) => value);
const failure = started.find(({ status }) => status === 'rejected')?.reason;
if (failure === undefined) {
  const ports = {
    broker: broker.tlsPort,
    keyValue: keyValue.tlsPort,
    database: Number(new URL(database.url).port),
  };
  process.stdout.write(`${JSON.stringify(ports)}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
}
await Promise.all([broker, keyValue, database].map((server) => server?.stop()));
if (failure !== undefined) throw failure;
