import { isGuessableKey } from './guessable-key';
import { parseAddressRange } from '../outgoing/address-range';
import { compatibilitySetting } from './compatibility-setting';
import { secretStoreSetting } from './secret-store-setting';
import { defineSettings } from './define-settings';
import { postgresHosts } from '../servers/postgres-hosts';
import { redisAddress } from '../servers/redis-address';
import { address, choice, integer, list, text, urls } from './kinds';
import { objectStoreSettings } from './object-store-settings';
import { tlsSettings } from './tls-settings';

/** Settings of every Millrace service. */
export const commonSettings = defineSettings({
  DATABASE_URL: address({
    description:
      'URL of PostgreSQL, with one host or [several](postgresql.md#several-machines); unset means the embedded database. `sslmode` has the meaning of libpq: [docs/operate/security.md](security.md#tls-to-the-servers).',
    read: readWritable,
    optional: true,
    secret: true,
  }),
  DATABASE_DIRECT_URL: address({
    description:
      'URL of PostgreSQL without the pooler that DATABASE_URL leads to; used by migrations. Unset means DATABASE_URL.',
    read: readWritable,
    optional: true,
    secret: true,
  }),
  DATABASE_PREPARED_STATEMENTS: choice(['auto', 'on', 'off'], {
    unusual: true,
    description:
      'Whether statements are prepared on PostgreSQL. `auto`: unless behind a pooler. `on`: also behind a pooler, which requires session mode, or PgBouncer 1.21 or newer with max_prepared_statements.',
    default: 'auto',
  }),
  AMQP_URL: urls({
    description:
      'URL of RabbitMQ, over TLS with amqps://; the nodes of a cluster are comma-separated and tried in random order. Unset means the in-process bus.',
    protocols: ['amqp', 'amqps'],
    optional: true,
    secret: true,
  }),
  REDIS_URL: address({
    description:
      'URL of Redis, over TLS with rediss://; [Sentinel and Cluster](postgresql.md#several-machines) have forms of their own. Unset means the in-memory store.',
    read: redisAddress,
    optional: true,
    secret: true,
  }),
  ...tlsSettings,
  ...objectStoreSettings,
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    description: 'Log lines below this level are not written.',
    default: 'info',
  }),
  LOG_FORMAT: choice(['auto', 'json', 'pretty'], {
    description:
      'Format of log lines: `json` for programs, `pretty` for people; `auto` is `pretty` on a terminal and `json` elsewhere.',
    default: 'auto',
  }),
  HOST: text({ description: 'The address to listen on.', default: '127.0.0.1' }),
  MILLRACE_PREFIX: text({
    description:
      'Prefix of every name on the broker and every key in the key-value store, so that several systems can share them, such as `blue.`.',
    default: '',
  }),
  MILLRACE_SHUTDOWN_SECONDS: integer({
    description: 'Maximum time for current work to finish after SIGTERM.',
    default: 30,
    minimum: 0,
    maximum: 3600,
  }),
  MILLRACE_OUTGOING_ALLOW: list({
    description:
      'Address ranges (CIDR) that components can call although they are not public, such as 127.0.0.1/32.',
    default: [],
    check: (entry) => void parseAddressRange(entry),
  }),
  MILLRACE_COMPATIBILITY: compatibilitySetting,
  MILLRACE_SECRET_STORE: secretStoreSetting,
  MILLRACE_ENCRYPTION_KEY: list({
    description:
      'Keys of 32 bytes, in base64 or hex, for values encrypted at rest; the first key encrypts, all keys decrypt.',
    optional: true,
    secret: true,
    check: checkEncryptionKey,
  }),
});

/** Of the gateway. */
export const databaseReplicaSetting = address({
  unusual: true,
  description:
    'URL of a [read replica](postgresql.md#a-read-replica) for lists of runs and their history. Unset means that DATABASE_URL serves them.',
  read: checkPostgres,
  optional: true,
  secret: true,
});

function readWritable(value: string): void {
  checkPostgres(value);
  if (postgresHosts(value).target === 'standby')
    throw new Error('has target_session_attrs=standby, but services write: use read-write or primary');
}

function checkPostgres(value: string): void {
  const { urls: hosts } = postgresHosts(value);
  if (!/^postgres(?:ql)?:$/u.test(new URL(hosts[0]).protocol))
    throw new Error('must begin with postgres:// or postgresql://');
}

/** The first key encrypts. Later ones only decrypt, so that a guessable one can be replaced. */
function checkEncryptionKey(entry: string, index: number): void {
  const isHex = /^[\da-f]{64}$/i.test(entry);
  const isBase64 = /^[\w+/-]{43}=?$/.test(entry);
  if (!isHex && !isBase64) throw new Error('must contain keys of 32 bytes, each in base64 or hex');
  if (index === 0 && isGuessableKey(Buffer.from(entry, isHex ? 'hex' : 'base64')))
    throw new Error(
      'begins with a key that can be guessed; put a new one, of openssl rand -base64 32, before it, then run millrace secrets rotate',
    );
}
