import { isRecord } from '../http/bodies/parse-json';

/** A field of an input of a flow that its author shows. */
export interface FlowInputField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
}

/** Returns the shown fields of the nodes with these ids, without those that only an expert changes. */
export function inputFieldsOf(document: object, ids: ReadonlySet<string>): readonly FlowInputField[] {
  const nodes = 'nodes' in document && Array.isArray(document.nodes) ? document.nodes : [];
  return nodes.flatMap((node: unknown) =>
    isRecord(node) && typeof node['id'] === 'string' && ids.has(node['id']) ? fieldsOf(node) : [],
  );
}

function fieldsOf(node: Readonly<Record<string, unknown>>): readonly FlowInputField[] {
  const data = isRecord(node['data']) ? node['data'] : {};
  const body = isRecord(data['node']) ? data['node'] : {};
  const template = isRecord(body['template']) ? body['template'] : {};
  return Object.entries(template).flatMap(([name, field]) => {
    if (!isRecord(field) || !field['show'] || field['advanced']) return [];
    const { type, info, list, is_list, required } = field;
    return [
      {
        name,
        type: typeof type === 'string' ? type : 'string',
        description: typeof info === 'string' ? info : `Input for ${name}`,
        isList: list === true || is_list === true,
        isRequired: Boolean(required),
      },
    ];
  });
}
