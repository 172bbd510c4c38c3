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

/** One line for each meaning and fate of the connection; states that their class covers are left out. */
function documentedTable(): string {
  const lines = new Map<string, string[]>();
  for (const { state, meaning, connection } of SQL_STATES) {
    const own = SQL_STATES.find((row) => row.state === state.slice(0, 2) && row.state !== state);
    if (own?.meaning === meaning && own.connection === connection) continue;
    const title = `- **${meaning}**, connection ${connection}`;
    lines.set(title, [...(lines.get(title) ?? []), state.length === 2 ? `class ${state}` : state]);
  }
  const rest = '- **bug**, connection kept: any other';
  return [...[...lines].map(([title, states]) => `${title}: ${states.join(', ')}`), rest].join('\n');
}
