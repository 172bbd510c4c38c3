import { doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { environment } from './environment.fixture.mjs';
import { peersChart } from './peers-chart.mjs';
import { peerRows, peersSection, peersSummary } from './peers-section.mjs';
import { writeReport } from './write-report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-peers-report-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const products = {
  millrace: { name: 'Millrace, standalone', version: '1', keeps: 'a row' },
  nodeRed: { name: 'Node-RED, with rows', version: '5', keeps: 'nothing' },
  langflow: { name: 'Langflow <&>', version: '1.13', keeps: 'messages' },
};

/** @param {number} perSecond */
const figures = (perSecond) => ({ perSecond, p50: 0.5, p99: 12.34, errors: 0, requests: 9 });

const one = { sides: { millrace: figures(1_000), nodeRed: figures(1_500), langflow: figures(8) }, products };
const many = {
  sides: { millrace: figures(4_000), nodeRed: figures(2_000) },
  products,
  notMeasured: { langflow: 'Langflow did\nnot start' },
};
const rows = peerRows(one, many);

test('the table has each product with figures at both numbers of callers and the ratio to standalone', () => {
  const text = peersSection(rows, ['- a machine']).join('\n');
  match(text, /^- a machine\n!\[Requests[^]*\]\(peers\.svg\)\n\n\| product /);
  match(text, /\| Millrace, standalone \| 1 \| a row \| 1,000 \| 0\.5 \| 12\.3 \| 1\.00 \| 4,000 \| /);
  match(
    text,
    /\| Node-RED, with rows \| 5 \| nothing \| 1,500 \| 0\.5 \| 12\.3 \| 1\.50 \| 2,000 \| 0\.5 \| 12\.3 \| 0\.50 \|/,
  );
});

test('a product without figures is named with its reason', () => {
  const text = peersSection(rows, []).join('\n');
  match(text, /\| Langflow <&> \| 1\.13 \| messages \| 8 \| 0\.5 \| 12\.3 \| 0\.008 \| – \| – \| – \| – \|/);
  match(text, /\n- Langflow <&>: not measured: Langflow did not start\n/);
  match(peersSummary(rows, environment, 'b.md').join('\n'), /\| not measured \|/);
});

test('the bars of the chart are in proportion to the figures, which it also has as text', () => {
  const chart = peersChart(rows, environment);
  const widths = [...chart.matchAll(/<rect class="(one|many)" x="20" y="\d+" width="([\d.]+)" height="14"/g)];
  const [first, second, third, fourth] = widths.map(([, , width]) => Number(width));
  ok(Math.abs(second / first - 4) < 0.01 && Math.abs(third / first - 1.5) < 0.01 && fourth * 2 === second);
  match(chart, />4,000<\/text>/);
  match(chart, />not measured<\/text>/);
  match(chart, />Node-RED 5, with rows<\/text>/);
  match(chart, /@media \(prefers-color-scheme: dark\)/);
  match(chart, /Langflow &lt;&amp;&gt; 1\.13<\/text>/);
  doesNotMatch(chart, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

/**
 * @param {string} name
 * @param {readonly object[]} scenarios
 */
function results(name, scenarios) {
  const file = join(folder, name);
  const common = { title: 'a text', limit: 'x', goal: 'y', of: 'z', goals: [], errors: 0, ratio: 2 };
  const described = scenarios.map((scenario) => ({ ...common, ...figures(1_000), ...scenario }));
  writeFileSync(file, JSON.stringify({ environment, seconds: 1, rounds: 1, scenarios: described }));
  return file;
}

test('results of products alone change their section, the chart and the README', async () => {
  const page = join(folder, 'alone', 'benchmarks.md');
  const file = results('peers.json', [
    { id: 'P1', ...one },
    { id: 'P64', ...many },
  ]);
  equal(await writeReport([file], page, join(folder, 'README.md')), 0);
  const own = readFileSync(new URL('../../docs/operate/benchmarks.md', import.meta.url), 'utf8');
  const text = readFileSync(page, 'utf8');
  ok(text.startsWith(own.slice(0, own.indexOf('## Other products')).trimEnd()));
  match(
    text,
    /## Other products\n\n<!-- figures: peers -->[^]*\| Node-RED, with rows +\| 5 +\|[^]*<!-- end -->/,
  );
  match(text, /\]\(peers\.svg\)/);
  match(readFileSync(join(folder, 'alone', 'peers.svg'), 'utf8'), /^<svg /);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  match(readme, /\(alone\/benchmarks\.md#other-products\)/);
});

test('the page of other scenarios has no row of products, and a place for them', async () => {
  const page = join(folder, 'both', 'benchmarks.md');
  const files = [results('other.json', [{ id: 'B2', sides: {} }]), join(folder, 'peers.json')];
  equal(await writeReport(files, page), 0);
  const text = readFileSync(page, 'utf8');
  match(text, /\| B2 +\| a text +\|/);
  doesNotMatch(text, /\| P64/);
  match(text, /<!-- figures: peers -->[^]*\| Langflow/);
});
