import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = join(__dirname, '..', '..', '..', '..', 'examples');

interface ExampleFile {
  readonly endpoint_name: string;
  readonly data: { readonly nodes: readonly ExampleNode[]; readonly edges: readonly ExampleEdge[] };
}

interface ExampleNode {
  readonly id: string;
  readonly data: {
    readonly type: string;
    readonly node: {
      readonly template: Readonly<Record<string, { value: unknown; type: string; input_types: string[] }>>;
      readonly outputs: readonly { name: string; types: string[]; loop_types?: string[] }[];
    };
  };
}

interface ExampleEdge {
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string;
  readonly targetHandle: string;
  readonly data: { readonly sourceHandle: { name: string }; readonly targetHandle: EdgeTarget };
}

interface EdgeTarget {
  readonly fieldName?: string;
  readonly name?: string;
}

const files = readdirSync(examples).filter((name) => name.endsWith('.json'));
const parsed = (name: string): ExampleFile =>
  JSON.parse(readFileSync(join(examples, name), 'utf8')) as ExampleFile;

test.each(files)('%s has its name as endpoint, no code, and an entry in the README', (name) => {
  const { endpoint_name, data } = parsed(name);
  expect(`${endpoint_name}.json`).toBe(name);
  expect(data.nodes.map((node) => node.data.node.template['code']?.value).join('')).toBe('');
  expect(readFileSync(join(examples, 'README.md'), 'utf8')).toContain(`\`${endpoint_name}\``);
});

test.each(files)('%s has the edges that an editor would derive from its nodes', (name) => {
  const { nodes, edges } = parsed(name).data;
  const find = (id: string): ExampleNode['data'] => nodes.find((node) => node.id === id)!.data;
  for (const edge of edges) {
    const source = find(edge.source);
    const output = source.node.outputs.find((one) => one.name === edge.data.sourceHandle.name);
    const sourceHandle = {
      dataType: source.type,
      id: edge.source,
      name: output?.name,
      output_types: output?.types,
    };
    const targetHandle = targetOf(edge, find(edge.target));
    expect(edge.data).toEqual({ sourceHandle, targetHandle });
    expect(edge.sourceHandle).toBe(JSON.stringify(sourceHandle).replaceAll('"', 'œ'));
    expect(edge.targetHandle).toBe(JSON.stringify(targetHandle).replaceAll('"', 'œ'));
  }
});

/** Returns the target handle of an edge: a field, or the output of a loop. */
function targetOf({ target, data }: ExampleEdge, { type, node }: ExampleNode['data']): object {
  const { fieldName = '', name } = data.targetHandle;
  const field = node.template[fieldName];
  if (field) return { fieldName, id: target, inputTypes: field.input_types, type: field.type };
  const output = node.outputs.find((one) => one.name === name);
  return {
    dataType: type,
    id: target,
    name: output?.name,
    output_types: [...(output?.types ?? []), ...(output?.loop_types ?? [])],
  };
}
