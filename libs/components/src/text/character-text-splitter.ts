import { defineComponent, handle, integer, text } from '@millrace/flow';
import { splitCharacters } from './split-characters';
import { splitDocuments } from './split-documents';

export default defineComponent({
  type: 'CharacterTextSplitter',
  displayName: 'Character Text Splitter',
  description: 'Cuts the text of data into chunks at a separator.',
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
  run: ({ chunk_size, chunk_overlap, data_input, separator }, context) => {
    const options = { chunkSize: chunk_size, chunkOverlap: chunk_overlap, keeps: 'nothing' } as const;
    const chunks = splitDocuments(data_input, (text) =>
      splitCharacters(text, separator === '' ? '\n\n' : separator, options),
    );
    context.status(chunks);
    return { data: chunks };
  },
});
