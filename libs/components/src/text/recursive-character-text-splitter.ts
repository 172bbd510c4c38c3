import { defineComponent, handle, integer, listOf, text } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import { runInSlices } from '../parsing/run-in-slices';
import { splitRecursively } from './splitting/split-characters';
import { splitDocuments } from './splitting/split-documents';

/** Paragraphs, then lines, then words, then characters. */
const defaultSeparators: readonly string[] = ['\n\n', '\n', ' ', ''];

export default defineComponent({
  type: 'RecursiveCharacterTextSplitter',
  displayName: 'Recursive Character Text Splitter',
  description: 'Splits the text of data into chunks at the coarsest separator that makes them small enough.',
  inputs: {
    chunk_size: integer({ displayName: 'Chunk Size', default: 1000 }),
    chunk_overlap: integer({ displayName: 'Chunk Overlap', default: 200 }),
    data_input: handle({
      displayName: 'Input',
      required: true,
      inputTypes: ['Document', 'Data', 'JSON'],
    }),
    separators: listOf(text({ displayName: 'Separators' })),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'Data' },
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' },
  },
  deterministic: true,
  run: async ({ chunk_size, chunk_overlap, data_input, separators }, context) => {
    const options = { chunkSize: chunk_size, chunkOverlap: chunk_overlap, keeps: 'start' } as const;
    const work = splitDocuments(data_input, (content) =>
      splitRecursively(content, separators.length === 0 ? defaultSeparators : separators, options),
    );
    const chunks = await runInSlices(work, context.signal);
    context.status(chunks);
    return {
      ...(context.wants('data') ? { data: chunks } : {}),
      ...(context.wants('dataframe') ? { dataframe: new DataFrame(chunks.map((chunk) => chunk.data)) } : {}),
    };
  },
});
