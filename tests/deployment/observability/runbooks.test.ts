import { readFileSync } from 'node:fs';
import { pagePath, readRules } from './read-files';
import type { Rule } from './read-files';

const PARTS = ['Symptom', 'Means', 'Look first', 'Remedy', 'Confirm'];
const alerts = readRules().filter(({ alert }) => alert !== undefined);
const page = readFileSync(pagePath('docs/operate/runbooks.md'), 'utf8');
const sections = new Map(
  page
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => [/^## (.*)$/m.exec(text)?.[1] ?? '', text] as const),
);

test('alerts have distinct names', () => {
  expect(alerts.length).toBeGreaterThan(0);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

test.each(alerts.map((rule) => [rule.alert ?? '', rule] as const))(
  '%s has a severity, a summary, a description, and a section of the runbooks',
  (name, { labels, annotations }: Rule) => {
    expect(['critical', 'warning']).toContain(labels?.['severity']);
    expect(annotations?.['summary']).toBeTruthy();
    expect(annotations?.['description']).toBeTruthy();
    expect(annotations?.['runbook']).toBe(`docs/operate/runbooks.md#${name.toLowerCase()}`);
    const section = sections.get(name) ?? '';
    for (const part of PARTS) expect([part, section.includes(`**${part}.**`)]).toEqual([part, true]);
  },
);

test('each section of the runbooks is that of an alert', () => {
  expect([...sections.keys()].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});
