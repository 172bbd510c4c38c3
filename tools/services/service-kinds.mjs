import { findProgram } from './find-program.mjs';
import { mysqlHandshake } from './mysql-handshake.mjs';
import { isMariadbInstalled, startPrivateMariadb } from './private-mariadb.mjs';
import { isPostgresInstalled, startPrivatePostgres } from './private-postgres.mjs';
import { isRabbitmqInstalled, startPrivateRabbitmq } from './private-rabbitmq.mjs';
import { isRedisInstalled, startPrivateRedis } from './private-redis.mjs';
import { PostgresConnection } from './postgres-connection.mjs';
import { rabbitmqHandshake } from './rabbitmq-handshake.mjs';
import { RedisConnection } from './redis-connection.mjs';
import { runCommand } from './run-command.mjs';

/**
 * The three servers Millrace uses, MariaDB, which flows under test ask, and PgBouncer, which stands before PostgreSQL: where each is given, where it usually
 * answers, how to ask its version and how to start an own one. Only a MariaDB that is given is used as it is.
 */
export const kinds = {
  broker: {
    title: 'RabbitMQ',
    variable: 'AMQP_URL',
    localUrls: ['amqp://guest:guest@127.0.0.1:5672'],
    version: rabbitmqHandshake,
    isInstalled: isRabbitmqInstalled,
    start: startPrivateRabbitmq,
  },
  keyValue: {
    title: 'Redis',
    variable: 'REDIS_URL',
    localUrls: ['redis://127.0.0.1:6379'],
    version: async (url) => {
      const connection = await RedisConnection.connect(url);
      const version = await connection.version();
      connection.close();
      return version;
    },
    isInstalled: isRedisInstalled,
    start: startPrivateRedis,
  },
  database: {
    title: 'PostgreSQL',
    variable: 'DATABASE_URL',
    localUrls: [
      'postgres://postgres@127.0.0.1:5432/postgres',
      'postgres://postgres:postgres@127.0.0.1:5432/postgres',
    ],
    version: async (url) => {
      const connection = await PostgresConnection.connect(url);
      const { version } = connection;
      connection.close();
      return version;
    },
    isInstalled: isPostgresInstalled,
    start: startPrivatePostgres,
  },
  mariadb: {
    title: 'MariaDB',
    variable: 'MARIADB_URL',
    localUrls: [],
    version: mysqlHandshake,
    isInstalled: isMariadbInstalled,
    start: startPrivateMariadb,
  },
  // A program instead of a server: tests start it themselves, before the database.
  pgbouncer: {
    title: 'PgBouncer',
    variable: 'PGBOUNCER',
    localUrls: [],
    version: pgbouncerVersion,
    isInstalled: () => findProgram('pgbouncer') !== undefined,
    start: async () => ({ url: findProgram('pgbouncer'), stop: async () => undefined }),
  },
};

async function pgbouncerVersion(program) {
  const text = await runCommand(program, ['--version'], { deadlineMilliseconds: 10_000 });
  return /PgBouncer (\S+)/u.exec(text)?.[1] ?? 'of unknown version';
}
