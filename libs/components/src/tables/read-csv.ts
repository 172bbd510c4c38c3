import { PythonFloat } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/**
 * Reads a CSV table with a header as pandas' `read_csv` does: a column of integers, of numbers or of truth values gets
 * values of that kind, a missing one is NaN. Null when a row has more cells than the header.
 */
export function readCsv(text: string): readonly PythonObject[] | null {
  const [header, ...rows] = splitCsv(text).filter((row) => row.length > 1 || row[0] !== '');
  if (header === undefined || rows.some((row) => row.length > header.length)) return null;
  const names = distinctNames(header);
  const columns = names.map((_, index) => column(rows.map((row) => row[index] ?? '')));
  return rows.map((_, row) =>
    Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null])),
  );
}

/** Cells of each line; quotes may hold commas, line ends and doubled quotes. Linear in the text. */
function splitCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text.charAt(offset);
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[offset + 1] === '"') {
        cell += '"';
        offset += 1;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === ',') endCell();
    else if (character === '\n') endRow();
    else if (character !== '\r' || text[offset + 1] !== '\n') cell += character;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

/** Pandas calls the second `a` of a header `a.1`, and a column without a name by its position. */
function distinctNames(header: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return header.map((given, index) => {
    const name = given === '' ? `Unnamed: ${index}` : given;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}.${times}`;
  });
}

const missingMarks = new Set(
  [
    '',
    '#N/A',
    '#N/A N/A',
    '#NA',
    '-1.#IND',
    '-1.#QNAN',
    '-NaN',
    '-nan',
    '1.#IND',
    '1.#QNAN',
    '<NA>',
    'N/A',
    'NA',
  ].concat(['NULL', 'NaN', 'None', 'n/a', 'nan', 'null']),
);
const integerPattern = /^\s*[+-]?\d+\s*$/;
const numberPattern = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;
const truthPattern = /^(true|True|TRUE|false|False|FALSE)$/;

function column(cells: readonly string[]): readonly PythonValue[] {
  const present = cells.filter((cell) => !missingMarks.has(cell));
  const complete = present.length === cells.length;
  if (present.length > 0 && complete && present.every((cell) => integerPattern.test(cell))) {
    return cells.map(integerOf);
  }
  if (present.every((cell) => numberPattern.test(cell))) return cells.map(floatOf);
  if (complete && present.every((cell) => truthPattern.test(cell))) {
    return cells.map((cell) => cell.toLowerCase() === 'true');
  }
  return cells.map((cell) => (missingMarks.has(cell) ? Number.NaN : cell));
}

function integerOf(cell: string): PythonValue {
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : BigInt(cell.trim().replace(/^\+/, ''));
}

function floatOf(cell: string): PythonValue {
  if (missingMarks.has(cell)) return Number.NaN;
  const number = Number(cell);
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}
