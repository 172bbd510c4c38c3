import { defineComponent, handle, integer, text } from '@millrace/flow';
import { runInSlices } from '../parsing/run-in-slices';
import { splitCharacters } from './splitting/split-characters';
import { splitDocuments } from './splitting/split-documents';

export default defineComponent({
  type: 'CharacterTextSplitter',
  displayName: 'Character Text Splitter',
  description: 'Splits the text of data into chunks at a separator.',
  inputs: {
    chunk_size: integer({ displayName: 'Chunk Size', default: 1000 }),
    chunk_overlap: integer({ displayName: 'Chunk Overlap', default: 200 }),
    data_input: handle({
      displayName: 'Input',
      required: true,
      inputTypes: ['Document', 'Data', 'JSON'],
    }),
    separator: text({ displayName: 'Separator' }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: async ({ chunk_size, chunk_overlap, data_input, separator }, context) => {
    const options = { chunkSize: chunk_size, chunkOverlap: chunk_overlap, keeps: 'nothing' } as const;
    const work = splitDocuments(data_input, (content) =>
      splitCharacters(content, separator === '' ? '\n\n' : separator, options),
    );
    const chunks = await runInSlices(work, context.signal);
    context.status(chunks);
    return { data: chunks };
  },
});
