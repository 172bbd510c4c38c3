import { ComponentError, defineComponent, handle, message, isEmbeddingsHandle } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { Message, PythonValue } from '@millrace/python-text';
import { embedTexts } from './calls/embed-texts';
import { floatList } from './float-list';

export default defineComponent({
  type: 'TextEmbedderComponent',
  displayName: 'Text Embedder',
  description: 'Computes the vector of a text.',
  inputs: {
    embedding_model: handle({ displayName: 'Embedding Model', inputTypes: ['Embeddings'], required: true }),
    message: message({ displayName: 'Message', required: true }),
  },
  outputs: {
    embeddings: { types: ['Data', 'JSON'], displayName: 'Embedding Data', method: 'generate_embeddings' },
  },
  deterministic: false,
  reusable: true,
  run: async ({ embedding_model: model, message: input }, context) => {
    try {
      const embeddings = await embedded(model, input, context);
      context.status(embeddings.data);
      return { embeddings };
    } catch (error) {
      // As in Langflow, an error is part of the output.
      if (!(error instanceof ComponentError)) throw error;
      context.status({ error: error.message });
      return { embeddings: new Data({ text: '', embeddings: [], error: error.message }) };
    }
  },
});

async function embedded(model: PythonValue, input: Message | null, context: ComponentContext): Promise<Data> {
  if (!isEmbeddingsHandle(model)) throw new ComponentError('Invalid or incompatible embedding model');
  const text = input?.text ?? '';
  if (text === '') throw new ComponentError('No text content found in message');
  const [vector = []] = await embedTexts(model, [text], context);
  return new Data({ text, embeddings: floatList(vector) });
}
