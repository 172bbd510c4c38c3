import { defineComponent, file, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { givenText } from '../files/readers/given-text';
import { splitCsv } from '../parsing/csv/split-csv';
import { runInSlices } from '../parsing/run-in-slices';
import type { InterruptibleWork } from '../parsing/run-in-slices';

export default defineComponent({
  type: 'CSVtoData',
  displayName: 'Load CSV',
  description: 'Reads a CSV text or file and returns each row as data with text values.',
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
    const list = await runInSlices(dataOf(csv, text_key), context.signal);
    context.status(list.length === 0 ? 'The CSV data is empty.' : list);
    return { data_list: list };
  },
});

/** The number of rows to read before yielding to other work. */
const rowsPerStep = 256;

/** Maps each row to the names of the header. Missing cells are None; surplus cells are a list under "None". */
function* dataOf(csv: string, textKey: string): InterruptibleWork<readonly Data[]> {
  const [header, ...rows] = yield* splitCsv(csv);
  if (header === undefined) return [];
  const list: Data[] = [];
  for (const [index, row] of rows.entries()) {
    const entries = header.map((name, column): [string, PythonValue] => [name, row[column] ?? null]);
    const surplus = row.slice(header.length);
    const all = surplus.length === 0 ? entries : [...entries, ['None', surplus] as const];
    list.push(new Data(Object.fromEntries(all), { textKey }));
    if (index % rowsPerStep === 0) yield;
  }
  return list;
}
