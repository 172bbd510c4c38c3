import { deepEqual, match, ok, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fillFigures } from './scaling-figures.mjs';
import { saturationTable, sizingTable, unitCosts } from './sizing-tables.mjs';

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
/** @param {string} name */
const place = (name) => `text\n\n<!-- figures: ${name} -->\n<!-- end -->\n\nmore`;

test('writes figures to their places once, also when written repeatedly', () => {
  const scenarios = { B16: { sides: { one: side, four: { ...side, perSecond: 250 } } } };
  const once = fillFigures(place('gateways'), scenarios);
  match(once, /\| one \| 100 \| 5 \| 9 \| 500 \| 70 \| 1000 \| 2000 \| 25 % \|\n\| four \| 250 /);
  deepEqual(fillFigures(once, scenarios), once);
  ok(once.startsWith('text\n\n<!--') && once.endsWith('<!-- end -->\n\nmore'));
});

test('keeps figures that were not measured', () => {
  deepEqual(fillFigures(place('payload'), {}), place('payload'));
});

test('refuses a place with an unknown name', () => {
  throws(() => fillFigures(place('gatewais'), {}), /there are no figures "gatewais"/);
});

test('fills every place of docs/scaling.md', () => {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const costs = {
    '0 waiting': { ...side, drainedPerSecond: 50, drainedIdleShare: 0.5, drainedGatewayMicroseconds: 7 },
  };
  const measured = Object.fromEntries(
    ['B6', 'B16', 'B17', 'B18', 'B19', 'B20'].map((id) => [id, { sides: { one: side, ...costs } }]),
  );
  const filled = fillFigures(page, measured);
  const places = [...filled.matchAll(/<!-- figures: [\w-]+ -->([^]*?)<!-- end -->/g)];
  deepEqual(places.length, 11);
  for (const [, figures] of places) match(figures, /\| --- \|/);
});

test('calculates sizes as costs times rates', () => {
  const costs = unitCosts(100, side, { gatewayMicroseconds: 200, storedBytes: 500 });
  deepEqual(costs.microseconds.gateway, 700);
  match(sizingTable(costs).join('\n'), /\| gateway, cores \| 0\.1 \| 1 \| 10 \| 100 \|/);
  match(sizingTable(costs).join('\n'), /\| PostgreSQL stores, GB a day \| 13 \| 130 \| 1,296 \| 12,960 \|/);
  match(saturationTable(costs)[2], /\| gateway \| 700 \| 1429 \|/);
});
