import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL_STATES, sqlStateRow } from './sqlstate';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'operate', 'postgresql.md');
const TABLE = /(?<=<!-- sqlstates -->\n\n)[^]*?(?=\n\n<!-- end -->)/u;

test('a state has its own row, the row of its class, or is a bug', () => {
  expect(sqlStateRow('57014')).toMatchObject({ state: '57014', connection: 'kept' });
  expect(sqlStateRow('57P04')).toMatchObject({ state: '57', meaning: 'unavailable' });
  expect(sqlStateRow('42883')).toMatchObject({ state: '42883', meaning: 'bug', connection: 'kept' });
});

test('each row has a unique state or class', () => {
  const states = SQL_STATES.map(({ state }) => state);
  expect(new Set(states).size).toBe(states.length);
  for (const state of states) expect(state).toMatch(/^(?:[0-9A-Z]{2}|[0-9A-Z]{5})$/);
});

test('docs/operate/postgresql.md contains the table (MILLRACE_UPDATE_DOCS=1 writes it)', () => {
  const page = readFileSync(PAGE, 'utf8');
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(PAGE, page.replace(TABLE, documentedTable()));
  else expect(TABLE.exec(page)?.[0]).toBe(documentedTable());
});

function documentedTable(): string {
  const rows = [
    ['SQLSTATE', 'meaning', 'connection', 'what happened'],
    ...SQL_STATES.map(({ state, meaning, connection, about }) => [
      state.length === 2 ? `class ${state}` : state,
      meaning,
      connection,
      about,
    ]),
    ['any other', 'bug', 'kept', 'The statement itself is invalid.'],
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`);
  const [head, ...body] = lines;
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}
