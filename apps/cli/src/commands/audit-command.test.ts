import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@millrace/database';
import { auditEntryView, AuditLog, systemActor } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { cli } from '../testing/test-shell';

const folder = mkdtempSync(join(tmpdir(), 'millrace-audit-'));
const data = join(folder, 'data');
const logger = createLogger({ name: 'test', level: 'silent' });
const file = join(folder, 'audit.jsonl');
let entries: Record<string, unknown>[];

beforeAll(async () => {
  const database = await openDatabase({
    url: undefined,
    dataDirectory: join(data, 'database'),
    name: 'test',
    logger,
    maximumConnections: 1,
  });
  await migrate(database, { logger });
  const log = new AuditLog({ database, logger });
  const events = ['one', 'two', 'three'].map((objectName) => ({
    actor: systemActor,
    action: 'flow.created' as const,
    objectName,
  }));
  for (const event of events) await log.record([event]);
  entries = [];
  for await (const page of log.export({}))
    entries.push(...page.map((entry) => ({ ...auditEntryView(entry) })));
  await database.close();
  write(entries);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (lines: readonly object[]) =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const verify = (...words: string[]) => cli(['audit', 'verify', ...words]);
const last = () => `${String(entries.at(-1)?.['position'])}:${String(entries.at(-1)?.['hash'])}`;

test('verifies the log of a data folder and its export, and prints the last entry', async () => {
  const intact = { code: 0, output: `intact: 3 entries; the last one is ${last()}\n` };
  expect(await verify('--at', data)).toMatchObject(intact);
  expect(await verify(file)).toMatchObject(intact);
  const { json } = await verify(file, '--json');
  expect(json()).toMatchObject({ isIntact: true, entries: 3 });
});

test('ends with 1 and names the first broken entry, or the one that --contains misses', async () => {
  expect(await verify(file, '--contains', last())).toMatchObject({ code: 0 });
  expect(await verify('--at', data, '--contains', `2:${'0'.repeat(64)}`)).toMatchObject({
    code: 1,
    output: expect.stringContaining('broken: the entry at position 2: its hash is '),
  });
  write(entries.map((entry, index) => (index === 1 ? { ...entry, object_name: 'changed' } : entry)));
  expect(await verify(file)).toMatchObject({
    code: 1,
    output: 'broken: the entry at position 2: its content does not have its hash\n',
  });
});

test('a file that cannot be read, a line that is no entry, and wrong options have their exit codes', async () => {
  expect(await verify(join(folder, 'none.jsonl'))).toMatchObject({
    code: 66,
    faults: expect.stringContaining('ENOENT'),
  });
  write([{}]);
  expect(await verify(file)).toMatchObject({
    code: 66,
    faults: `${file} cannot be verified: line 1 is not an audit entry\n`,
  });
  expect(await verify(file, '--contains', 'abc')).toMatchObject({
    code: 64,
    faults: expect.stringContaining('a position, a colon and a hash of 64 digits'),
  });
  expect(await verify(file, '--at', data)).toMatchObject({ code: 64 });
  expect(await verify('--at', join(folder, 'none'))).toMatchObject({ code: 66 });
});
