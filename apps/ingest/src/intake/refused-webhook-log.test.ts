import { DatabaseUnavailableError } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { createLogger, createMetrics } from '@millrace/service';
import { RefusedWebhookLog } from './refused-webhook-log';

type Line = Readonly<Record<string, unknown>>;

const unavailable = new HttpError('ingest_unavailable', 'Try again.');

test.each([
  ['an error of the sender', new HttpError('key_invalid', 'No.'), undefined, 'info'],
  ['an outage of the database', unavailable, new DatabaseUnavailableError('away'), 'warn'],
  ['an answer of its own', unavailable, unavailable, 'warn'],
  ['an error of our own', new HttpError('internal', 'Broken.'), new TypeError('x is undefined'), 'error'],
  ['an unknown cause', unavailable, undefined, 'error'],
])('a webhook refused for %s is logged at its level, and counted', async (_what, refusal, error, level) => {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const metrics = createMetrics();
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const log = new RefusedWebhookLog({ logger, metrics });
  log.write({ refusal, error, requestId: null, path: '/a', flow: null });
  log.close();
  const { code, status, message: reason } = refusal;
  expect(lines).toMatchObject([{ level, msg: 'webhook refused', path: '/a', status, code, reason }]);
  const cause = error === undefined || error === refusal ? undefined : { message: error.message };
  expect(lines[0]?.['error'] ?? undefined).toEqual(cause && expect.objectContaining(cause));
  for (const key of ['requestId', 'flowId']) expect(lines[0]).not.toHaveProperty(key);
  expect(await metrics.prometheusText()).toContain(`millrace_webhooks_refused_total{code="${code}"} 1`);
});
