import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApplyError } from './apply-error';
import { readFolder } from './read-folder';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-apply-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const flow = (name: string, members: object = { endpoint_name: name }) => ({ name, data: {}, ...members });

/** Writes files, those of flows as JSON, and reads the folder. */
function read(files: Readonly<Record<string, unknown>>, environment: Readonly<Record<string, string>> = {}) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return readFolder(folder, environment);
}

test('a folder without a manifest has its flows, in the order of the files', () => {
  const wanted = read({
    'b.json': flow('b'),
    'a.json': [flow('a'), flow('c', { id: 'i' })],
    'd.json': { flows: [flow('d')] },
    'note.txt': 'x',
  });
  expect(wanted).toEqual({
    owner: undefined,
    flows: [flow('a'), flow('c', { id: 'i' }), flow('b'), flow('d')],
    variables: [],
    triggers: [],
  });
});

test('a manifest names the owner, variables, triggers, and settings of flows by endpoint or name', () => {
  const triggers = [
    { flow: 'a', name: 't', kind: 'schedule', state: 'paused', config: { cron: '* * * * *' } },
  ];
  const manifest = {
    owner: 'ann',
    flows: 'exports',
    settings: { a: { cache: 1 }, 'Flow B': { cache: 2 } },
    variables: [
      { name: 'V', value: '', type: 'Generic' },
      { name: 'E', from_environment: 'OF_E' },
      { name: 'F', from_file: 'secret.txt' },
    ],
    triggers,
  };
  const files = {
    'exports/a.json': flow('A', { endpoint_name: 'a' }),
    'exports/b.json': flow('Flow B', { id: 'b' }),
  };
  const wanted = read({ ...files, 'millrace.yaml': manifest, 'secret.txt': 'of a file\n' }, { OF_E: 'of e' });
  expect(wanted).toEqual({
    owner: 'ann',
    flows: [
      flow('A', { endpoint_name: 'a', settings: { cache: 1 } }),
      flow('Flow B', { id: 'b', settings: { cache: 2 } }),
    ],
    variables: [
      { name: 'V', type: 'Generic', value: '' },
      { name: 'E', type: 'Credential', value: 'of e' },
      { name: 'F', type: 'Credential', value: 'of a file' },
    ],
    triggers,
  });
  rmSync(join(folder, 'exports'), { recursive: true });
  expect(read({ 'flows/a.json': flow('a'), 'millrace.yaml': '' }).flows).toEqual([flow('a')]);
});

test.each([
  [
    { 'millrace.yaml': { settings: { none: {} } } },
    'millrace.yaml: settings.none names no flow of the folder',
  ],
  [{ 'millrace.yaml': { more: 1 } }, 'must NOT have additional properties: more'],
  [{ 'millrace.yaml': { owner: '' } }, 'owner must NOT have fewer than 1 characters'],
  [{ 'millrace.yaml': [] }, 'it must be object'],
  [{ 'millrace.yaml': { variables: [{}] } }, "variables.0 must have required property 'name'"],
  [{ 'millrace.yaml': { triggers: [{ flow: 'a', name: 'b' }] } }, "must have required property 'kind'"],
  [{ 'millrace.yaml': 'a: [' }, 'millrace.yaml cannot be read: '],
  [
    { 'millrace.yaml': { variables: [{ name: 'V' }] } },
    'millrace.yaml: variable V needs one of value, from_environment and from_file',
  ],
  [
    { 'millrace.yaml': { variables: [{ name: 'V', value: 'a', from_file: 'b' }] } },
    'millrace.yaml: variable V needs one of value, from_environment and from_file',
  ],
  [
    { 'millrace.yaml': { variables: [{ name: 'V', from_environment: 'NONE' }] } },
    'The value of variable V is missing: NONE is not set or empty',
  ],
  [
    { 'millrace.yaml': { variables: [{ name: 'V', from_file: 'none' }] } },
    'The value of variable V is missing: none is not set or empty',
  ],
  [{ 'millrace.yaml': { flows: 'none' } }, 'none cannot be read: '],
  [{ 'flows/a.json': '{' }, 'a.json cannot be read: '],
  [{ 'flows/a.json': [null] }, 'a.json contains no flow with a name'],
  [{ 'flows/a.json': { name: 1 } }, 'a.json contains no flow with a name'],
  [{ 'flows/a.json': flow('a', {}) }, 'a.json: the flow "a" needs an id or an endpoint name'],
  [
    { 'flows/a.json': flow('a'), 'flows/b.json': flow('b', { id: 'i', endpoint_name: 'a' }) },
    'have the flow a',
  ],
])('a folder with %j is refused', (files, reason) => {
  const whole = { 'millrace.yaml': {}, 'flows/x.json': flow('x'), ...files };
  expect(() => read(whole)).toThrow(ApplyError);
  expect(() => readFolder(folder, {})).toThrow(reason);
});
