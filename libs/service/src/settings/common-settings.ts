import { parseAddressRange } from '../outgoing/address-range';
import { defineSettings } from './define-settings';
import { choice, integer, list, text, url, urls } from './kinds';
import { tlsSettings } from './tls-settings';

/** What every Millrace service reads. */
export const commonSettings = defineSettings({
  DATABASE_URL: url({
    description:
      'PostgreSQL; unset means the embedded database. `sslmode` as libpq means it: [docs/security.md](security.md#tls-to-the-servers).',
    protocols: ['postgres', 'postgresql'],
    optional: true,
    secret: true,
  }),
  DATABASE_DIRECT_URL: url({
    description:
      'PostgreSQL without the pooler that DATABASE_URL leads to; migrations use it. Unset means DATABASE_URL.',
    protocols: ['postgres', 'postgresql'],
    optional: true,
    secret: true,
  }),
  DATABASE_PREPARED_STATEMENTS: choice(['auto', 'on', 'off'], {
    description:
      'Whether statements are prepared on PostgreSQL. `auto`: not behind a pooler. `on` also behind one: in session mode, or PgBouncer 1.21 and newer with max_prepared_statements.',
    default: 'auto',
  }),
  AMQP_URL: urls({
    description:
      'RabbitMQ, over TLS with amqps://; the nodes of a cluster are comma separated and tried in random order. Unset means the in-process bus.',
    protocols: ['amqp', 'amqps'],
    optional: true,
    secret: true,
  }),
  REDIS_URL: url({
    description: 'Redis, over TLS with rediss://; unset means the in-memory store.',
    protocols: ['redis', 'rediss'],
    optional: true,
    secret: true,
  }),
  ...tlsSettings,
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    description: 'Lines below this level are not written.',
    default: 'info',
  }),
  LOG_FORMAT: choice(['auto', 'json', 'pretty'], {
    description:
      'How lines of the log are written: `json` for programs, `pretty` for people; `auto` is `pretty` on a terminal and `json` elsewhere.',
    default: 'auto',
  }),
  HOST: text({ description: 'The address to listen on.', default: '127.0.0.1' }),
  MILLRACE_PREFIX: text({
    description:
      'Begins every name on the broker and every key in the key-value store, so that systems can share them.',
    default: '',
  }),
  MILLRACE_SHUTDOWN_SECONDS: integer({
    description: 'How long work in hand may take after SIGTERM.',
    default: 30,
    minimum: 0,
    maximum: 3600,
  }),
  MILLRACE_OUTGOING_ALLOW: list({
    description:
      'Address ranges (CIDR) that components may call although they are not public, such as 127.0.0.1/32.',
    default: [],
    check: (entry) => void parseAddressRange(entry),
  }),
  MILLRACE_ENCRYPTION_KEY: list({
    description:
      'Keys of 32 bytes, in base64 or hex, for values encrypted at rest; the first encrypts, all of them decrypt.',
    optional: true,
    secret: true,
    check: checkEncryptionKey,
  }),
});

function checkEncryptionKey(entry: string): void {
  const isHex = /^[\da-f]{64}$/i.test(entry);
  const isBase64 = /^[\w+/-]{43}=?$/.test(entry);
  if (!isHex && !isBase64) throw new Error('must hold keys of 32 bytes, each in base64 or hex');
}
