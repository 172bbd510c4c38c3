import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { costSection } from './run-costs.mjs';

const side = {
  perSecond: 100,
  p50: 5,
  p99: 9,
  idleShare: 0.25,
  gatewayMicroseconds: 500,
  databaseMicroseconds: 70,
  storedBytes: 1_000,
  logBytes: 2_000,
};

test('calculates cores as costs times the rate; a webhook costs its acceptance and its run', () => {
  const webhook = { ...side, drainedGatewayMicroseconds: 200, drainedStoredBytes: 500 };
  const text = costSection({ B16: { sides: { one: side } }, B19: { sides: { '0 waiting': webhook } } }).join(
    '\n',
  );
  match(text, /\| gateway \| 500 \| 0\.71 \| 700 \| 1 \|/);
  match(text, /\| PostgreSQL stores \| 1000 bytes \| +\| 1500 bytes \| +\|/);
  deepEqual(costSection({ B16: { sides: { one: side } } }), []);
});
