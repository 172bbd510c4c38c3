import type { FlowBody } from '../../flow-changes/flow-bodies';

/** The endpoint of the flow that fills the bases of a user. */
export const UPLOAD_ENDPOINT = 'knowledge-uploads';
/** The component that the flow consists of. */
export const UPLOAD_TYPE = 'KnowledgeUpload';
/** The vertex whose result is that of a run. */
export const UPLOAD_VERTEX = `${UPLOAD_TYPE}-write`;

const INPUT_VERTEX = 'TextInput-upload';

/** The flow whose runs write uploads to knowledge bases, so that an upload is as durable as a run. */
export const uploadFlow: FlowBody = {
  name: 'Knowledge uploads',
  description:
    'Writes the files of POST /api/v1/knowledge_bases/{name}/ingest to the base. Each upload is a run.',
  endpoint_name: UPLOAD_ENDPOINT,
  data: {
    nodes: [
      node(INPUT_VERTEX, 'Text Input', { input_value: '' }, 'text', 'Message'),
      node(UPLOAD_VERTEX, 'Knowledge Upload', { upload: '' }, 'summary', 'Data'),
    ],
    edges: [
      {
        source: INPUT_VERTEX,
        target: UPLOAD_VERTEX,
        data: {
          sourceHandle: { id: INPUT_VERTEX, name: 'text', dataType: 'TextInput', output_types: ['Message'] },
          targetHandle: { id: UPLOAD_VERTEX, fieldName: 'upload', inputTypes: ['Message'], type: 'str' },
        },
      },
    ],
  },
};

function node(
  id: string,
  display_name: string,
  fields: Readonly<Record<string, string>>,
  output: string,
  type: string,
) {
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { name, type: 'str', value, show: true }]),
  );
  const outputs = [{ name: output, types: [type] }];
  return {
    id,
    type: 'genericNode',
    data: { id, type: id.split('-')[0], node: { display_name, template, outputs } },
  };
}
