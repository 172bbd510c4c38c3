import { str, tableRecords } from '@millrace/python-text';
import type { PythonValue, DataFrame } from '@millrace/python-text';

/** Formats a table as HTML like pandas' `to_html(index=False)`. */
export function tableHtml(table: DataFrame): string {
  const row = (tag: string, cells: readonly string[]): string[] => [
    '    <tr>',
    ...cells.map((cell) => `      <${tag}>${cell}</${tag}>`),
    '    </tr>',
  ];
  return [
    '<table border="1" class="dataframe">',
    '  <thead>',
    ...row('th', table.columns.map(escaped)).map((line) =>
      line === '    <tr>' ? '    <tr style="text-align: right;">' : line,
    ),
    '  </thead>',
    '  <tbody>',
    ...tableRecords(table).flatMap((record) => row('td', Object.values(record).map(cellText))),
    '  </tbody>',
    '</table>',
  ].join('\n');
}

function cellText(value: PythonValue): string {
  return Number.isNaN(value) ? 'NaN' : escaped(str(value));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
