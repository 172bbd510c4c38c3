import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { forAllTests, TcpProxy } from '@millrace/testing';
import { MillraceClient } from '../client/millrace-client';
import { openCliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';
import { listFlows } from './list-flows';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
let client: MillraceClient;

const server = forAllTests(openCliServer);
beforeAll(async () => {
  client = new MillraceClient(server);
});

function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(server.folder, 'flows-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const flowText = (name: string) => JSON.stringify({ ...echo, id: undefined, endpoint_name: null, name });

/** Starts the command; `end` interrupts it and resolves to what it printed. */
function watching(folder: string, { url = server.url, key = server.key, words = [] as string[] } = {}) {
  const interruption = new AbortController();
  const result = cli(['flows', 'watch', folder, ...words], {
    environment: { MILLRACE_URL: url, MILLRACE_API_KEY: key },
    signal: interruption.signal,
  });
  return {
    result,
    end: () => {
      interruption.abort();
      return result;
    },
  };
}

const named = async (name: string) => (await listFlows(client)).find((flow) => flow.name === name);
const untilNamed = async (name: string) => {
  await until(async () => (await named(name)) !== undefined, `a flow ${name}`);
  return named(name);
};

test('imports files when they are saved, waits for whole ones, and deletes no flow', async () => {
  const folder = newFolder({
    'one.json': flowText('One'),
    'half.json': '{"name": "Hal',
    'note.txt': 'no flow',
  });
  symlinkSync('loop.json', join(folder, 'loop.json'));
  symlinkSync('nowhere.json', join(folder, 'dangling.json'));
  execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  mkdirSync(join(folder, 'folder.json'));
  const command = watching(folder, { words: ['--json'] });
  const first = await untilNamed('One');
  // As editors save: a new file in the place of the old one.
  writeFileSync(join(folder, '.one.json.swp'), flowText('One, renamed'));
  renameSync(join(folder, '.one.json.swp'), join(folder, 'one.json'));
  expect((await untilNamed('One, renamed'))?.id).toBe(first?.id);
  writeFileSync(join(folder, 'half.json'), flowText('Half'));
  await untilNamed('Half');
  rmSync(join(folder, 'half.json'));
  writeFileSync(join(folder, 'refused.json'), JSON.stringify({ name: 'Refused', data: [] }));
  writeFileSync(join(folder, 'zlast.json'), flowText('Last'));
  await untilNamed('Last');
  const { code, output, faults } = await command.end();
  expect(code).toBe(0);
  const rows = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { file: string; action: string });
  const actions = rows.map(({ file, action }) => `${action} ${file.slice(folder.length + 1)}`).sort();
  expect(actions).toEqual([
    'changed one.json',
    'created half.json',
    'created one.json',
    'created zlast.json',
    'failed refused.json',
  ]);
  expect(faults).toMatch(/half\.json cannot be read: .*; waiting for its next save\n/);
  expect(faults).toMatch(/loop\.json cannot be read: ELOOP/);
  expect(faults).toContain('half.json is deleted; its flow stays on the server\n');
  expect(faults).not.toMatch(/pipe|dangling|folder\.json|note\.txt/);
});

test('refuses the second of two files that mean one flow, until it means another', async () => {
  const folder = newFolder({ 'a.json': flowText('Twice'), 'b.json': flowText('Twice') });
  const command = watching(folder);
  const { id } = (await untilNamed('Twice')) ?? {};
  writeFileSync(join(folder, 'b.json'), flowText('Not twice'));
  await untilNamed('Not twice');
  renameSync(join(folder, 'a.json'), join(folder, 'c.json'));
  writeFileSync(
    join(folder, 'c.json'),
    JSON.stringify({ ...echo, endpoint_name: 'twice', name: 'Twice', id }),
  );
  await until(async () => (await named('Twice'))?.endpoint_name === 'twice', 'the flow of the renamed file');
  const { output } = await command.end();
  expect(output).toContain('a.json is the same flow; change the id, endpoint_name or name of one\n');
  expect((await listFlows(client)).filter(({ name }) => name.startsWith('Twice'))).toHaveLength(1);
});

test('repeats requests while the server is away', async () => {
  const proxy = await TcpProxy.listen({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
  const folder = newFolder();
  const command = watching(folder, { url: `http://127.0.0.1:${proxy.port}` });
  writeFileSync(join(folder, 'before.json'), flowText('Before'));
  await untilNamed('Before');
  proxy.set({ isRefusing: true });
  proxy.cut();
  writeFileSync(join(folder, 'away.json'), flowText('While away'));
  await until(() => proxy.counts.refused > 0, 'a refused connection');
  proxy.clear();
  await untilNamed('While away');
  const { code, faults } = await command.end();
  expect(code).toBe(0);
  expect(faults.match(/; trying again\n/g)).toHaveLength(1);
  await proxy.close();
});

test('ends with one sentence for a wrong key, and for a folder that is missing, a file, too large or deleted', async () => {
  const folder = newFolder();
  expect(await watching(folder, { key: 'sk-wrong' }).result).toMatchObject({ code: 77 });
  const file = join(newFolder({ 'one.json': '{}' }), 'one.json');
  for (const path of [file, join(folder, 'missing')])
    expect(await watching(path).result).toMatchObject({
      code: 66,
      faults: expect.stringMatching(/^\S+ cannot be read as a folder: E(?:NOTDIR|NOENT).*\n$/),
    });
  const large = newFolder();
  for (let number = 0; number <= 10_000; number += 1) writeFileSync(join(large, `${number}.json`), '');
  expect(await watching(large).result).toMatchObject({
    code: 66,
    faults: `${large} has 10001 JSON files; at most 10000 are watched\n`,
  });
  const deleted = watching(folder);
  writeFileSync(join(folder, 'one.json'), flowText('In a folder that is deleted'));
  await untilNamed('In a folder that is deleted');
  rmSync(folder, { recursive: true });
  expect(await deleted.result).toMatchObject({ code: 66 });
});
