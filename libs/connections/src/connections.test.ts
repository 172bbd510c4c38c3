import { createLogger, createMetrics, Health } from '@millrace/service';
import { openConnections } from './connections';

const NOWHERE = '127.0.0.1:1';

const open = (urls: { databaseUrl?: string; brokerUrl?: string }) =>
  openConnections({
    name: 'test',
    instance: 'test',
    databaseUrl: urls.databaseUrl,
    brokerUrl: urls.brokerUrl,
    keyValueUrl: undefined,
    tls: {},
    dataDirectory: undefined,
    prefix: '',
    pools: ['default'],
    maximumDatabaseConnections: 1,
    migrate: false,
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    health: new Health(),
  });

test.each([
  ['PostgreSQL', 'DATABASE_URL', { databaseUrl: `postgres://ann:hunter22@${NOWHERE}/mill` }],
  ['RabbitMQ', 'AMQP_URL', { brokerUrl: `amqp://ann:hunter22@${NOWHERE}` }],
])(
  'the error for an unavailable %s names its setting, its address and the reason',
  async (title, setting, urls) => {
    const failure = open(urls);
    await expect(failure).rejects.toThrow(`${title} at ${NOWHERE} (${setting}) cannot be used`);
    const error = (await failure.catch((reason: unknown) => reason)) as Error & { cause: Error };
    expect(`${error.message} ${error.cause.message}`).not.toContain('hunter22');
    expect(reasonsOf(error).join(' ')).toContain('ECONNREFUSED');
  },
  60_000,
);

/** Errors of Node are from another realm than those of a test. */
function reasonsOf(error: unknown): string[] {
  const { message, cause } = (error ?? {}) as { message?: string; cause?: unknown };
  return message === undefined ? [] : [message, ...reasonsOf(cause)];
}
