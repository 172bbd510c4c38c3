import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineSettings, integer, readSettings, removedSettings } from '../index';

const definition = defineSettings({ PORT: integer({ description: 'Port.', default: 7860 }) });
const names = Object.entries(removedSettings).flatMap(([name, { formerly }]) => [name, ...formerly]);
const textOf = (name: string) =>
  Object.entries(removedSettings).find(([own, { formerly }]) => [own, ...formerly].includes(name))?.[1]
    .defaultText;

function warningsOf(environment: Record<string, string | undefined>): readonly string[] {
  const warnings: string[] = [];
  const read = readSettings(definition, environment, (sentence) => warnings.push(sentence));
  expect(read).toEqual({ PORT: 7860 });
  return warnings;
}

test('each removed setting with the value of its constant is ignored in silence', () => {
  expect(warningsOf(Object.fromEntries(names.map((name) => [name, textOf(name)])))).toEqual([]);
  expect(warningsOf({ MILLRACE_SCRIPT_MEMORY_BYTES: '67108864', MILLRACE_MAXIMUM_VERTICES: '' })).toEqual([]);
});

test('each removed setting with another value, or one that cannot be read, has a warning and stops no start', () => {
  const others = Object.fromEntries(names.map((name) => [name, '7']));
  const sentences = names.map((name) => `${name} is no longer a setting and has no effect: `);
  expect(warningsOf(others)).toEqual(
    sentences.map((sentence) => expect.stringContaining(sentence) as string),
  );
  expect(warningsOf({ MILLRACE_MAXIMUM_VERTICES: 'many' })).toEqual([
    'MILLRACE_MAXIMUM_VERTICES is no longer a setting and has no effect: the value is always 10000; see docs/operate/upgrades.md#removed-settings',
  ]);
});

test('a removed setting can be in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-removed-'));
  const file = join(folder, 'value');
  const environment = { MILLRACE_MAXIMUM_ATTEMPTS_FILE: file };
  expect(warningsOf(environment)).toEqual([expect.stringContaining('MILLRACE_MAXIMUM_ATTEMPTS is no')]);
  writeFileSync(file, '3\n');
  expect(warningsOf(environment)).toEqual([]);
  rmSync(folder, { recursive: true });
});
