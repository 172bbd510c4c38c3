import { Data, defineComponent, file, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { givenText } from '../files/given-text';
import { splitCsv } from '../tables/split-csv';

export default defineComponent({
  type: 'CSVtoData',
  displayName: 'Load CSV',
  description: 'Makes data of each row of a CSV text or file, its values texts.',
  inputs: {
    csv_file: file({ displayName: 'CSV File' }),
    csv_path: text({ displayName: 'CSV File Path' }),
    csv_string: text({ displayName: 'CSV String', multiline: true }),
    text_key: text({ displayName: 'Text Key', default: 'text' }),
  },
  outputs: { data_list: { types: ['Data', 'JSON'], displayName: 'Data List' } },
  deterministic: false,
  run: async ({ csv_file, csv_path, csv_string, text_key }, context) => {
    const given = { type: 'CSV', files: csv_file, path: csv_path, text: csv_string } as const;
    const csv = await givenText(context, given);
    const list = rowsOf(csv).map((row) => new Data(row, { textKey: text_key }));
    context.status(list);
    return { data_list: list };
  },
});

/** Each row by the names of the header; what a row lacks is None, what it has too much stands under "None". */
function rowsOf(csv: string): readonly Record<string, PythonValue>[] {
  const [header, ...rows] = splitCsv(csv).filter((row) => row.length > 1 || row[0] !== '');
  if (header === undefined) return [];
  return rows.map((row) => {
    const entries = header.map((name, index): [string, PythonValue] => [name, row[index] ?? null]);
    const surplus = row.slice(header.length);
    return Object.fromEntries(surplus.length === 0 ? entries : [...entries, ['None', surplus]]);
  });
}
