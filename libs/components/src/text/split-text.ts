import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  handle,
  integer,
  text,
  typeErrorOf,
} from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import { orderedTable } from './splitting/ordered-table';
import { runInSlices } from '../parsing/run-in-slices';
import type { InterruptibleWork } from '../parsing/run-in-slices';
import { splitCharacters } from './splitting/split-characters';
import type { SplitOptions } from './splitting/split-characters';
import { splitItems } from './splitting/split-documents';
import { textItems } from './splitting/text-items';
import type { TextItem } from './splitting/text-items';

export default defineComponent({
  type: 'SplitText',
  displayName: 'Split Text',
  description: 'Splits texts into chunks at a separator, one row for each chunk.',
  inputs: {
    data_inputs: handle({
      displayName: 'Input',
      required: true,
      inputTypes: ['Data', 'JSON', 'DataFrame', 'Table', 'Message'],
    }),
    chunk_overlap: integer({ displayName: 'Chunk Overlap', default: 200 }),
    chunk_size: integer({ displayName: 'Chunk Size', default: 1000 }),
    separator: text({ displayName: 'Separator', default: '\n' }),
    text_key: text({ displayName: 'Text Key', default: 'text', advanced: true }),
    keep_separator: dropdown({
      displayName: 'Keep Separator',
      options: ['False', 'True', 'Start', 'End'],
      default: 'False',
      advanced: true,
    }),
    clean_output: boolean({ displayName: 'Clean Output', advanced: true }),
  },
  outputs: {
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'Chunks', method: 'split_text' },
    chunks: { types: ['Data', 'JSON'], displayName: 'Chunks of earlier versions', tool: false },
  },
  deterministic: true,
  run: async ({ data_inputs, text_key, clean_output, separator, ...settings }, context) => {
    const items = textItems(data_inputs, text_key);
    const options: SplitOptions = {
      chunkSize: settings.chunk_size,
      chunkOverlap: settings.chunk_overlap,
      keeps: keptSide(settings.keep_separator),
    };
    const kept = clean_output ? items.map(withoutOthers) : items;
    const glue = separatorOf(separator);
    const work = splitItems(kept, (content) => split(content, glue, options));
    const chunks = await runInSlices(work, context.signal);
    return {
      ...(context.wants('dataframe')
        ? {
            dataframe: orderedTable(
              chunks.map((chunk) => chunk.data),
              chunks.length === 0 ? [] : columnsOf(kept),
            ),
          }
        : {}),
      ...(context.wants('chunks') ? { chunks } : {}),
    };
  },
});

const withoutOthers = ({ text: content }: TextItem): TextItem => ({ text: content, others: {} });

/** Computes the columns of the chunks from the items, since there can be many more chunks. */
function columnsOf(items: readonly TextItem[]): readonly string[] {
  return new DataFrame(items.map(({ text: content, others }) => ({ ...others, text: content }))).columns;
}

function* split(
  content: string,
  separator: string,
  options: SplitOptions,
): InterruptibleWork<readonly string[]> {
  try {
    return yield* splitCharacters(content, separator, options);
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    throw typeErrorOf('split_text', `Error splitting text: ${error.message}`, error);
  }
}

/** Authors write a newline and a tab in several ways. */
function separatorOf(content: string): string {
  return content
    .replaceAll('/n', '\n')
    .replaceAll('/t', '\t')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t');
}

function keptSide(setting: string): SplitOptions['keeps'] {
  const word = setting.toLowerCase();
  if (word === 'end') return 'end';
  return word === 'false' || word === '' ? 'nothing' : 'start';
}
