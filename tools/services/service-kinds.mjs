import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, requireProgram } from './find-program.mjs';
import { isMariadbInstalled, startPrivateMariadb } from './private-mariadb.mjs';
import { isPostgresInstalled, startPrivatePostgres } from './private-postgres.mjs';
import { isRabbitmqInstalled, startPrivateRabbitmq } from './private-rabbitmq.mjs';
import { isRedisInstalled, startPrivateRedis } from './private-redis.mjs';
import { runCommand } from './run-command.mjs';
import { pythonProgram } from './python-programs.mjs';
import { mariadbVersion, postgresVersion, rabbitmqVersion, redisVersion } from './server-clients.mjs';

/** @import { PythonProgram } from './python-programs.mjs' */

/**
 * @typedef {'broker' | 'keyValue' | 'database' | 'mariadb' | 'pgbouncer' | 'nats' | 'curl' | 'prometheus' | 'registry' | 'chromium' | 'python' | 'seaweed' | 'bao' | 'helm' | 'workflows' | 'generator'} ServiceName
 * @typedef {{ readonly url: string, readonly stop: () => Promise<unknown> }} RunningServer
 *
 * @typedef {object} ServiceKind
 * @property {string} title
 * @property {string} variable
 * @property {readonly string[]} localUrls
 * @property {(url: string) => Promise<string>} version
 * @property {() => boolean} isInstalled
 * @property {boolean} [isProgram] Tests start it themselves: `start` resolves to its path.
 * @property {(options: { directory: string, durable: boolean }) => Promise<RunningServer>} start
 */

/**
 * The three servers that Millrace uses, MariaDB, which flows under test query, and PgBouncer, a pooler in front of
 * PostgreSQL: the variable that names each, its usual URLs, how to read its version and how to start a private one.
 * MariaDB has no usual URLs: a running MariaDB is used only if its URL is given.
 * @type {Readonly<Record<ServiceName, ServiceKind>>}
 */
export const kinds = {
  broker: {
    title: 'RabbitMQ',
    variable: 'AMQP_URL',
    localUrls: ['amqp://guest:guest@127.0.0.1:5672'],
    version: rabbitmqVersion,
    isInstalled: isRabbitmqInstalled,
    start: startPrivateRabbitmq,
  },
  keyValue: {
    title: 'Redis',
    variable: 'REDIS_URL',
    localUrls: ['redis://127.0.0.1:6379'],
    version: redisVersion,
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
    version: postgresVersion,
    isInstalled: isPostgresInstalled,
    start: startPrivatePostgres,
  },
  mariadb: {
    title: 'MariaDB',
    variable: 'MARIADB_URL',
    localUrls: [],
    version: mariadbVersion,
    isInstalled: isMariadbInstalled,
    start: startPrivateMariadb,
  },
  // Tests start it themselves, in front of the database.
  pgbouncer: programKind({ title: 'PgBouncer', variable: 'PGBOUNCER', program: 'pgbouncer' }),
  // Tests start it themselves, for the bridge from NATS.
  nats: programKind({ title: 'NATS', variable: 'NATS_SERVER', program: 'nats-server' }),
  // Tests execute the commands that are printed for users.
  curl: programKind({ title: 'curl', variable: 'CURL', program: 'curl' }),
  // Tests start it themselves, and check rules with the promtool beside it.
  prometheus: {
    ...programKind({ title: 'Prometheus', variable: 'PROMETHEUS', program: 'prometheus' }),
    isInstalled: () => {
      const prometheus = findProgram('prometheus');
      return prometheus !== undefined && existsSync(join(dirname(prometheus), 'promtool'));
    },
  },
  // Tests start it themselves, and push the chart to it.
  registry: programKind({ title: 'Registry', variable: 'OCI_REGISTRY', program: 'docker-registry' }),
  // Tests open pages of the console in it.
  chromium: programKind({
    title: 'Chromium',
    variable: 'CHROMIUM',
    program: ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser', 'chrome'],
  }),
  // Tests start sealed processes, and an environment with packages.
  python: {
    ...programKind({ title: 'Python', variable: 'PYTHON', program: 'python3' }),
    isInstalled: canCreateEnvironments,
  },
  // Tests start it themselves, as the object store.
  seaweed: fromPython('seaweed', { title: 'SeaweedFS', variable: 'SEAWEED', words: ['version'] }),
  // Tests start it themselves, as the store of secrets.
  bao: fromPython('bao', { title: 'OpenBao', variable: 'BAO', words: ['version'] }),
  // Tests lint, render and package the Helm chart with it: an interpreter of Python that has Helm as a library.
  helm: fromPython('helm', {
    title: 'Helm',
    variable: 'HELM',
    words: ['-I', '-c', 'import helm_python; print(helm_python.helm_sdk_version())'],
  }),
  // Tests check the workflows with it, and with check-jsonschema beside it.
  workflows: fromPython('workflows', { title: 'zizmor', variable: 'ZIZMOR', words: ['--version'] }),
  // Tests generate a client in Python with it, and call a server with that client.
  generator: fromPython('generator', {
    title: 'openapi-python-client',
    variable: 'OPENAPI_PYTHON_CLIENT',
    words: ['--version'],
  }),
};

export const serviceNames = /** @type {ServiceName[]} */ (Object.keys(kinds));

/** Returns whether python3 is installed, with what creates environments; Debian has that in a package of its own. */
function canCreateEnvironments() {
  const python = findProgram('python3');
  if (python === undefined) return false;
  if (findProgram('uv') !== undefined) return true;
  return spawnSync(python, ['-I', '-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0;
}

/**
 * A program of PyPI in place of a server.
 * @param {PythonProgram} name
 * @param {{ readonly title: string, readonly variable: string, readonly words: readonly string[] }} options what prints its
 *   version
 * @returns {ServiceKind}
 */
function fromPython(name, { title, variable, words }) {
  return {
    title,
    variable,
    localUrls: [],
    isProgram: true,
    version: async (path) => {
      const text = await runCommand(path, words, { deadlineMilliseconds: 30_000 });
      return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'of unknown version';
    },
    isInstalled: () => pythonProgram(name) !== undefined,
    start: async () => ({ url: pythonProgram(name) ?? '', stop: async () => undefined }),
  };
}

/**
 * A program in place of a server: its URL is its path. With several names, the first one that is installed.
 * @param {{ readonly title: string, readonly variable: string, readonly program: string | readonly string[] }} options
 * @returns {ServiceKind}
 */
function programKind({ title, variable, program }) {
  const names = [program].flat();
  return {
    title,
    variable,
    localUrls: [],
    isProgram: true,
    version: async (path) => {
      const text = await runCommand(path, ['--version'], { deadlineMilliseconds: 10_000 });
      return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'of unknown version';
    },
    isInstalled: () => findProgram(...names) !== undefined,
    start: async () => ({ url: requireProgram(...names), stop: async () => undefined }),
  };
}
