import { ComponentError, defineComponent, model, secret, table, text } from '@millrace/flow';
import { chosenChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';
import { completeStructured, isModelRefusal } from './calls/complete-structured';
import {
  answerShape,
  answeredObjects,
  schemaFields,
  structuredData,
  structuredTable,
} from './calls/output-schema';

const instructions =
  'You find structured data in a text. Give every object that fits the schema, each once. ' +
  'Where the text says nothing about a field, give null. Add nothing that the text does not say.';

export default defineComponent({
  type: 'StructuredOutput',
  displayName: 'Structured Output',
  description: 'Extracts objects of a given shape from a text with a language model.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    input_value: text({ displayName: 'Input Message', multiline: true, required: true, tool: true }),
    system_prompt: text({
      displayName: 'Format Instructions',
      multiline: true,
      required: true,
      default: instructions,
      advanced: true,
    }),
    schema_name: text({ displayName: 'Schema Name', advanced: true }),
    output_schema: table({
      displayName: 'Output Schema',
      required: true,
      default: [{ name: 'field', description: 'description of field', type: 'str', multiple: 'False' }],
    }),
  },
  outputs: {
    structured_output: {
      types: ['Data', 'JSON'],
      displayName: 'Structured Output',
      method: 'build_structured_output',
    },
    dataframe_output: {
      types: ['DataFrame', 'Table'],
      displayName: 'Structured Output',
      method: 'build_structured_dataframe',
    },
    structured_output_dataframe: {
      types: ['DataFrame'],
      displayName: 'DataFrame',
      method: 'as_dataframe',
      tool: false,
    },
  },
  deterministic: false,
  reusable: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const chat = await chosenChatModel(inputs.model, 'A model selection is required', context);
    const fields = schemaFields(inputs.output_schema);
    if (fields.length === 0) throw new ComponentError('Output schema cannot be empty');
    const answer = await completeStructured(
      chat,
      [
        { role: 'system', content: inputs.system_prompt },
        // As in Langflow, an empty text is no message.
        ...(inputs.input_value === '' ? [] : [{ role: 'user', content: inputs.input_value } as const]),
      ],
      answerShape(fields, inputs.schema_name || undefined),
      context,
      isModelRefusal,
    );
    const objects = answeredObjects(answer, fields);
    if (objects.length === 0) throw new ComponentError('No structured output returned');
    const rows = structuredTable(objects);
    return {
      structured_output: structuredData(objects),
      dataframe_output: rows,
      structured_output_dataframe: rows,
    };
  },
});
