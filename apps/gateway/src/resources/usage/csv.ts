/** A text that a spreadsheet would compute. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns rows as CSV of RFC 4180, with the names of their members first. */
export function csvOf(rows: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): string {
  const lines = rows.map((row) => names.map((name) => cellOf(row[name])).join(','));
  return [names.join(','), ...lines, ''].join('\r\n');
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
