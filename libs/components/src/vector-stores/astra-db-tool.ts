import {
  boolean,
  ComponentError,
  defineComponent,
  dictionary,
  handle,
  jsonValue,
  table,
  text,
  isEmbeddingsHandle,
} from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { embedTexts } from '../embeddings/calls/embed-texts';
import { objectsMember } from '../integrations/http/json-members';
import { sendAstraCommand } from '../integrations/astra/astra-command';
import {
  conditions,
  namedParameters,
  parametersSchema,
  parseTime,
  tableParameters,
} from '../integrations/astra/astra-parameters';
import { resolveAstraAccess } from '../integrations/astra/astra-access';
import {
  astraToolInputs,
  astraToolOutputs,
  projectionInput,
  runAstraTool,
} from '../integrations/astra/astra-tool';

const inputs = {
  ...astraToolInputs,
  collection_name: text({ displayName: 'Collection Name', plain: true, required: true }),
  projection_attributes: projectionInput('Projection Attributes'),
  tools_params_v2: table({ displayName: 'Tools Parameters' }),
  tool_params: dictionary({ displayName: 'Tool Params of earlier versions', advanced: true }),
  use_search_query: boolean({ displayName: 'Semantic Search' }),
  use_vectorize: boolean({ displayName: 'Use Astra DB Vectorize' }),
  embedding: handle({ displayName: 'Embedding Model', inputTypes: ['Embeddings'] }),
  semantic_search_instruction: text({
    displayName: 'Semantic Search Instruction',
    plain: true,
    required: true,
    default: 'Search query to find relevant documents.',
    advanced: true,
  }),
};

type Values = InputValues<typeof inputs>;

const searchQuery = 'search_query';

export default defineComponent({
  type: 'AstraDBToolComponent',
  aliases: ['AstraDBTool'],
  displayName: 'Astra DB Tool',
  description: 'Provides a tool with which a model finds documents in a collection of Astra DB.',
  inputs,
  outputs: astraToolOutputs,
  deterministic: false,
  run: async (values, context) => {
    const access = await resolveAstraAccess(context);
    const parameters = [
      ...tableParameters(values.tools_params_v2, 'attribute_name'),
      ...namedParameters(values.tool_params),
    ];
    const query = {
      name: searchQuery,
      description: values.semantic_search_instruction,
      mandatory: true,
    };
    return runAstraTool(
      {
        name: values.tool_name,
        description: values.tool_description,
        parameters: parametersSchema([...parameters, ...(values.use_search_query ? [query] : [])]),
        find: async (callArguments) => {
          const projection = projectionOf(values.projection_attributes);
          const answer = await sendAstraCommand(
            access,
            {
              name: 'find',
              collection: values.collection_name.trim(),
              payload: {
                filter: {
                  ...conditions(parameters, callArguments, (moment) => ({ $date: parseTime(moment) })),
                  ...values.static_filters,
                },
                sort: await sortOf(values, callArguments, context),
                ...(projection === null ? {} : { projection }),
                options: { limit: Math.min(Math.max(values.number_of_results, 1), 1000) },
              },
            },
            context,
          );
          return objectsMember(answer, 'data', 'documents');
        },
      },
      context,
    );
  },
});

/** Nearest first when the call contains a search query. */
async function sortOf(
  values: Values,
  callArguments: PythonObject,
  context: ComponentContext,
): Promise<PythonObject> {
  const wanted = jsonValue(callArguments[searchQuery] ?? null);
  if (!values.use_search_query || typeof wanted !== 'string' || wanted === '') return {};
  if (values.use_vectorize) return { $vectorize: wanted };
  if (!isEmbeddingsHandle(values.embedding)) {
    throw new ComponentError(
      'Embedding model is not set. Please set the embedding model or use Astra DB Vectorize.',
    );
  }
  const [vector = []] = await embedTexts(values.embedding, [wanted], context, 'query');
  return { $vector: [...vector] };
}

/** The members of documents to return; `!` in front excludes one. Null: all but vectors. */
function projectionOf(attributes: string): PythonObject | null {
  const names = attributes
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0 || names.includes('*')) return null;
  const chosen = names.map((name) => (name.startsWith('!') ? [name.slice(1), false] : [name, true]));
  return { $vector: false, ...(Object.fromEntries(chosen) as Record<string, boolean>) };
}
