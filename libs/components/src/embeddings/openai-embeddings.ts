import {
  ComponentError,
  defineComponent,
  dictionary,
  dropdown,
  float,
  integer,
  secret,
  text,
} from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { openAi } from '../integrations/providers/providers';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';

export default defineComponent({
  type: 'OpenAIEmbeddings',
  displayName: 'OpenAI Embeddings',
  description: 'Configures an embedding model of OpenAI or of any server with an OpenAI-compatible API.',
  inputs: {
    model: dropdown({
      displayName: 'Model',
      options: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
      default: 'text-embedding-3-small',
    }),
    openai_api_key: secret({ displayName: 'OpenAI API Key', required: true, variable: 'OPENAI_API_KEY' }),
    openai_api_base: text({ displayName: 'OpenAI API Base', advanced: true }),
    dimensions: integer({ displayName: 'Dimensions', advanced: true }),
    chunk_size: integer({ displayName: 'Chunk Size', default: 1000, advanced: true }),
    max_retries: integer({ displayName: 'Max Retries', default: 3, advanced: true }),
    request_timeout: float({ displayName: 'Request Timeout', advanced: true }),
    default_headers: dictionary({ displayName: 'Default Headers', advanced: true }),
    default_query: dictionary({ displayName: 'Default Query', advanced: true }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => {
    // Langflow refuses it, too.
    if (context.fields['openai_proxy'])
      throw new ComponentError("Cannot specify 'openai_proxy': all calls of a run go out the same way.");
    const embeddings = await configureEmbeddings(
      openAi,
      {
        model: inputs.model,
        apiKey: inputs.openai_api_key,
        baseUrl: inputs.openai_api_base,
        dimensions: inputs.dimensions,
        batchSize: inputs.chunk_size,
        maximumRetries: inputs.max_retries,
        timeoutSeconds: inputs.request_timeout,
        headers: textHeaders(inputs.default_headers),
        query: textHeaders(inputs.default_query),
      },
      context,
    );
    return { embeddings };
  },
});

/** Converts values of a node to texts for headers and query parameters; empty values are omitted. */
function textHeaders(values: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name === '' || value === null || value === '' ? [] : [[name, str(value)]],
    ),
  );
}
