import type { IncomingMessage } from 'node:http';
import type { ActedEvent } from '@millrace/runs';
import { createLogger, createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { RefusedSignIns } from './index';

const lines: { msg: string }[] = [];
const logger = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) },
});

function requestFrom(remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

/** A log that stores in memory, and that fails as often as `failures` says. */
function openCounts({ failures = 0, windowMilliseconds = 3_600_000 } = {}) {
  const stored: ActedEvent[][] = [];
  let left = failures;
  const record = async (events: readonly ActedEvent[]) => {
    left -= 1;
    if (left >= 0) throw new Error('no database');
    stored.push([...events]);
  };
  const metrics = createMetrics();
  return {
    stored,
    metrics,
    refused: new RefusedSignIns({ audit: { record }, logger, metrics, windowMilliseconds }),
  };
}

test('a flood from ten thousand addresses is eleven entries that account for each attempt', async () => {
  const { stored, refused } = openCounts();
  for (let index = 0; index < 10_000; index += 1)
    refused.count({ code: 'key_invalid', request: requestFrom(`198.51.${index >> 8}.${index & 255}`) });
  for (let index = 0; index < 500; index += 1)
    refused.count({ code: 'key_invalid', request: requestFrom('198.51.0.7') });
  await refused.flush();
  const [events = []] = stored;
  expect(events).toHaveLength(11);
  expect(events[0]).toMatchObject({
    action: 'sign_in.refused',
    actor: { clientAddress: null },
    detail: { reason: 'key_invalid', attempts: 9_000 },
  });
  expect(events[1]).toMatchObject({ actor: { clientAddress: '198.51.0.7' }, detail: { attempts: 501 } });
  const attempts = events.map(({ detail }) => Number(detail?.['attempts']));
  expect(attempts.reduce((sum, count) => sum + count)).toBe(10_500);
  expect(events.at(-1)).toMatchObject({ actor: { clientAddress: null }, detail: { groups: 991 } });
  await refused.flush();
  expect(stored).toHaveLength(1);
});

test('refusals are counted apart by code, address, key and flow', async () => {
  const { stored, refused, metrics } = openCounts();
  const request = requestFrom('192.0.2.1');
  const principal = { userId: 'user', keyId: 'key' };
  refused.count({ code: 'key_invalid', request });
  refused.count({ code: 'token_invalid', request });
  refused.count({ code: 'permission_denied', request, principal });
  refused.count({ code: 'signature_invalid', request, flowId: 'flow' });
  refused.count({
    code: 'key_invalid',
    request: requestFrom('192.0.2.1', { 'x-forwarded-for': '192.0.2.2' }),
  });
  await refused.flush();
  expect(stored[0]).toHaveLength(5);
  expect(stored[0]).toContainEqual(
    expect.objectContaining({ actor: expect.objectContaining({ kind: 'key', ...principal }) }),
  );
  expect(stored[0]).toContainEqual(expect.objectContaining({ objectId: 'flow' }));
  expect(await metrics.prometheusText()).toContain('millrace_sign_ins_refused_total{code="key_invalid"} 2');
});

test('counts that cannot be stored are stored later, and the failure is logged', async () => {
  const { stored, refused } = openCounts({ failures: 1, windowMilliseconds: 1 });
  refused.count({ code: 'key_invalid', request: requestFrom('192.0.2.1') });
  await until(() => stored.length > 0);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'refused sign-ins could not be recorded' }));
  expect(stored).toMatchObject([[{ detail: { attempts: 1 } }]]);
  await refused.close();
});
