import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addCounts, usageCounts } from '@millrace/runs';
import { createLogger, createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { checkSignature } from '../intake/webhooks/signatures/check-signature';
import { openTestIngest } from '../testing/test-ingest';
import type { TestIngest } from '../testing/test-ingest';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
});
const metrics = createMetrics();
const lines: Record<string, unknown>[] = [];
let ingest: TestIngest;

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  ingest = await openTestIngest({
    metrics,
    logger: createLogger({ name: 'alerts', level: 'info', destination }),
    callbackIntervalMilliseconds: 20,
    alertIntervalMilliseconds: 50,
  });
  await ingest.variables.create(ingest.userId, {
    name: 'ALERTS',
    value: SECRET,
    type: 'Credential',
    defaultFields: [],
  });
}, 60_000);

afterAll(async () => {
  await ingest.close();
  receiver.closeAllConnections();
  receiver.close();
});

test('the begin and the end of an alert are sent signed, logged and counted', async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`;
  const flowId = await ingest.newFlow('alerting', {
    alerts: [{ name: 'failing', measure: 'failures', threshold: 0.5, windowMinutes: 1 }],
    callbacks: [{ url, secrets: ['ALERTS'], on: ['alert'] }],
  });
  const samples = async () =>
    (
      await ingest.database.query({
        text: 'SELECT 1 FROM alert_samples WHERE flow_id = $1',
        values: [flowId],
      })
    ).rows.length;
  await until(async () => (await samples()) > 0, 'the flow was not looked at');
  const [failed] = usageCounts({
    userId: ingest.userId,
    flowId,
    keyId: null,
    pool: 'default',
    status: 'failed',
    usage: null,
    waitingMilliseconds: 5,
    runningMilliseconds: 5,
  });
  if (failed === undefined) throw new Error('nothing was counted');
  await ingest.runs.countUsage([addCounts(failed, failed)]);
  await until(() => received.length === 1, 'the begin was not reported');
  // The window ends.
  await ingest.database.query({
    text: `UPDATE alert_samples SET at = at - interval '1 minute' WHERE flow_id = $1 AND runs = 0`,
    values: [flowId],
  });
  await until(() => received.length === 2, 'the end was not reported');
  const [begun, ended] = received.map(({ body }) => JSON.parse(body) as { data: Record<string, unknown> });
  expect(begun).toEqual({
    type: 'flow.alert',
    timestamp: begun?.data['began_at'],
    data: {
      alert_id: expect.any(String),
      state: 'began',
      flow_id: flowId,
      rule: 'failing',
      measure: 'failures',
      threshold: 0.5,
      window_minutes: 1,
      value: 1,
      runs: 2,
      began_at: expect.any(String),
      ended_at: null,
    },
  });
  expect(ended).toMatchObject({
    type: 'flow.alert',
    data: { state: 'ended', alert_id: begun?.data['alert_id'], began_at: begun?.data['began_at'] },
  });
  for (const { headers, body } of received) {
    const rule = { scheme: 'standard-webhooks', secrets: [] } as const;
    expect(checkSignature({ headers, body: Buffer.from(body) }, rule, [SECRET], Date.now())).not.toBeNull();
  }
  const noted = () => lines.filter(({ flowId: of }) => of === flowId).map(({ level, msg }) => [level, msg]);
  await until(() => noted().length === 2, 'a line is missing');
  expect(noted()).toEqual([
    ['warn', 'alert began'],
    ['info', 'alert ended'],
  ]);
  const text = await metrics.prometheusText();
  expect(text).toContain('millrace_alert_changes_total{change="began"} 1');
  expect(text).toContain('millrace_alert_changes_total{change="ended"} 1');
});
