import { ComponentError, Data, defineComponent, file, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { splitCsv } from '../tables/split-csv';

export default defineComponent({
  type: 'CSVtoData',
  displayName: 'Load CSV',
  description: 'Makes data of each row of a CSV text, its values texts.',
  inputs: {
    csv_file: file({ displayName: 'CSV File' }),
    csv_path: text({ displayName: 'CSV File Path' }),
    csv_string: text({ displayName: 'CSV String', multiline: true }),
    text_key: text({ displayName: 'Text Key', default: 'text' }),
  },
  outputs: { data_list: { types: ['Data', 'JSON'], displayName: 'Data List' } },
  deterministic: true,
  run: ({ csv_file, csv_path, csv_string, text_key }, context) => {
    if (csv_file.length > 0 || csv_path !== '') {
      throw new ComponentError('CSV files cannot be read here. Give their text as the CSV string.');
    }
    if (csv_string === '') {
      throw new ComponentError('Please provide exactly one of: CSV file, file path, or CSV string.');
    }
    const list = rowsOf(csv_string).map((row) => new Data(row, { textKey: text_key }));
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
