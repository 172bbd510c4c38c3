import { compile, parseFlowDocument } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { testRegistry } from './test-components';

/** A node as a test writes it; its id begins with its type unless given. */
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
export type TestWire = string;

/** The JSON of a flow file, as an export has it. */
export function flowFile(nodes: readonly TestNode[], wires: readonly TestWire[]): unknown {
  return { name: 'a test', data: { nodes: nodes.map(nodeJson), edges: wires.map(edgeJson), viewport: {} } };
}

/** The compiled plan of a flow. */
export function planOf(nodes: readonly TestNode[], wires: readonly TestWire[]): Plan {
  return compile(parseFlowDocument(flowFile(nodes, wires)), {
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

function edgeJson(wire: TestWire): unknown {
  const [from = '', to = ''] = wire.split(' > ');
  const [source = '', output = ''] = from.split('.');
  const [target = '', field = ''] = to.split('.');
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name: output }, targetHandle: { id: target, fieldName: field } },
  };
}
