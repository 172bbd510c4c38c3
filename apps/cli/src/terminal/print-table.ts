/** Returns the lines of a table whose columns are as wide as their widest cell. */
export function printTable(rows: readonly (readonly string[])[], headings: readonly string[]): string[] {
  if (rows.length === 0) return ['(none)'];
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Replaces control characters, with which a stored text could change the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
