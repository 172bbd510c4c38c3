import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { promtoolPath } from './promtool.fixture';
import { readRules, RULES, RULE_TESTS } from './read-files';

interface RuleTest {
  readonly promql_expr_test: readonly {
    readonly expr: string;
    readonly exp_samples?: readonly { readonly labels: string }[];
  }[];
}

const run = promisify(execFile);

test('promtool finds no fault in the rules', async () => {
  const { stdout } = await run(promtoolPath(), ['check', 'rules', RULES]);
  expect(stdout).toContain(`SUCCESS: ${readRules().length} rules found`);
});

test('promtool confirms that the alerts fire and clear', async () => {
  const { stdout } = await run(promtoolPath(), ['test', 'rules', RULE_TESTS]);
  expect(stdout).toContain('SUCCESS');
});

test('the tests of rules have a time before, during and after each alert', () => {
  const { tests } = parse(readFileSync(RULE_TESTS, 'utf8')) as { tests: readonly RuleTest[] };
  const seen = new Map<string, string>();
  for (const { expr, exp_samples: samples = [] } of tests.flatMap((one) => one.promql_expr_test)) {
    const name = /^ALERTS\{alertname="(\w+)", alertstate="firing"\}$/.exec(expr)?.[1];
    if (name !== undefined) seen.set(name, `${seen.get(name) ?? ''}${samples.length > 0 ? '!' : '-'}`);
  }
  const names = readRules().flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
  expect([...seen.keys()].sort()).toEqual([...names].sort());
  for (const [name, times] of seen) expect([name, times]).toEqual([name, expect.stringMatching(/^-+!+-+$/)]);
});
