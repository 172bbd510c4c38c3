import { compile, parseFlowDocument } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { testRegistry } from './test-components';

/** A node in the notation of the tests; its id begins with its type by default. */
export interface TestNode {
  readonly id?: string;
  readonly type: string;
  readonly name?: string;
  /** Saved values by field, or whole fields as `{ value, type, show, … }` under `field`. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly fields?: Readonly<Record<string, object>>;
  readonly node?: object;
}

/** `Source-a.output > Target-b.field` */
export type TestEdge = string;

/** Returns the JSON of a flow file, as in an export. */
export function flowFile(nodes: readonly TestNode[], edges: readonly TestEdge[]): unknown {
  return { name: 'a test', data: { nodes: nodes.map(nodeJson), edges: edges.map(edgeJson), viewport: {} } };
}

/** Returns the compiled plan of a flow. */
export function planOf(nodes: readonly TestNode[], edges: readonly TestEdge[]): Plan {
  return compile(parseFlowDocument(flowFile(nodes, edges)), {
    flowId: '11111111-1111-4111-8111-111111111111',
    version: 1,
    registry: testRegistry,
  });
}

function nodeJson({ id, type, name, values = {}, fields = {}, node = {} }: TestNode): unknown {
  const component = testRegistry.find(type);
  const declared = Object.keys(component?.inputs ?? {});
  const template: Record<string, unknown> = {
    _type: 'Component',
    code: { type: 'code', value: '', show: true },
  };
  for (const field of new Set([...declared, ...Object.keys(values), ...Object.keys(fields)])) {
    template[field] = {
      type: 'str',
      show: true,
      list: component?.inputs[field]?.list ?? false,
      value: values[field] ?? component?.inputs[field]?.default ?? '',
      ...fields[field],
    };
  }
  const outputs = Object.keys(component?.outputs ?? {}).map((output) => ({
    name: output,
    types: ['Message'],
  }));
  const body = { display_name: name ?? component?.displayName ?? type, template, outputs, ...node };
  return { id: id ?? `${type}-a`, type: 'genericNode', data: { type, node: body } };
}

function edgeJson(edge: TestEdge): unknown {
  const [from = '', to = ''] = edge.split(' > ');
  const [source = '', output = ''] = from.split('.');
  const [target = '', field = ''] = to.split('.');
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name: output }, targetHandle: { id: target, fieldName: field } },
  };
}
