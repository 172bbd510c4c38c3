import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes } from './index';

const page = readFileSync(join(__dirname, '../../../docs/use/errors.md'), 'utf8');

test('docs/use/errors.md lists exactly the existing codes with their statuses and meanings', () => {
  const rows = page
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, code]) => code?.startsWith('`'))
    .map(([, code, statuses, ...meaning]) => [
      code?.replaceAll('`', ''),
      statuses,
      meaning.slice(0, -1).join('|'),
    ]);
  const listed = Object.entries(errorCodes).map(([code, { statuses, meaning }]) => [
    code,
    statuses.join(', '),
    meaning,
  ]);
  expect(rows).toEqual(listed);
});
