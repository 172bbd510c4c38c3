import { ComponentError, Data, defineComponent, handle, isEmbeddingsHandle, message } from '@millrace/flow';
import type { ComponentContext, Message, PythonValue } from '@millrace/flow';
import { embedTexts } from './embed-texts';
import { floatList } from './float-list';

export default defineComponent({
  type: 'TextEmbedderComponent',
  displayName: 'Text Embedder',
  description: 'Gives the vector of a text.',
  inputs: {
    embedding_model: handle({ displayName: 'Embedding Model', inputTypes: ['Embeddings'], required: true }),
    message: message({ displayName: 'Message', required: true }),
  },
  outputs: {
    embeddings: { types: ['Data', 'JSON'], displayName: 'Embedding Data', method: 'generate_embeddings' },
  },
  deterministic: false,
  reusable: true,
  run: async ({ embedding_model: model, message: said }, context) => {
    try {
      return { embeddings: await embedded(model, said, context) };
    } catch (error) {
      // What goes wrong is part of the answer here, as it is in Langflow.
      if (!(error instanceof ComponentError)) throw error;
      return { embeddings: new Data({ text: '', embeddings: [], error: error.message }) };
    }
  },
});

async function embedded(model: PythonValue, said: Message | null, context: ComponentContext): Promise<Data> {
  if (!isEmbeddingsHandle(model)) throw new ComponentError('Invalid or incompatible embedding model');
  const text = said?.text ?? '';
  if (text === '') throw new ComponentError('No text content found in message');
  const [vector = []] = await embedTexts(model, [text], context);
  return new Data({ text, embeddings: floatList(vector) });
}
