import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { costSection } from './run-costs.mjs';
import { sidesTable } from './sides-table.mjs';

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

test('a table has the figures that were measured, of each side', () => {
  const table = sidesTable({ limit: { perSecond: 250, p50: 1.2345, p99: 2 }, one: side });
  deepEqual(table, [
    '|  | per second | p50 ms | p99 ms | gateway, µs | PostgreSQL, µs | stored, bytes | log, bytes | CPU left |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    '| limit | 250 | 1.23 | 2 |  |  |  |  |  |',
    '| one | 100 | 5 | 9 | 500 | 70 | 1000 | 2000 | 25 % |',
  ]);
  deepEqual(sidesTable({ one: {} }), []);
});

test('calculates cores as costs times the rate; a webhook costs its acceptance and its run', () => {
  const webhook = { ...side, drainedGatewayMicroseconds: 200, drainedStoredBytes: 500 };
  const text = costSection({ B16: { sides: { one: side } }, B19: { sides: { '0 waiting': webhook } } }).join(
    '\n',
  );
  match(text, /\| gateway \| 500 \| 0\.71 \| 700 \| 1 \|/);
  match(text, /\| PostgreSQL stores \| 1000 bytes \| +\| 1500 bytes \| +\|/);
  deepEqual(costSection({ B16: { sides: { one: side } } }), []);
});
