import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PythonObject } from '@millrace/python-text';
import type { TestVertex } from './python-flow.fixture';
import { workerFolder } from './test-pool.fixture';

const folder = join(__dirname, 'authors');
const savingMilliseconds = 600_000;
const maximumBytes = 16 << 20;

interface SavedNode {
  readonly type: string;
  readonly node: PythonObject;
}

/** Returns a vertex of the component in `authors/<name>.py`, whose id is `<type>-<number>`. */
export type Author = (name: string, more?: AuthorVertex) => TestVertex;

export interface AuthorVertex extends Pick<TestVertex, 'fields' | 'from' | 'outputs'> {
  readonly number?: number;
  /** True when the component is in tool mode: its only output is then its tools. */
  readonly tools?: boolean;
}

/** The output of a component in tool mode, as the editor saves it. */
const toolsOutput: PythonObject = {
  name: 'component_as_tool',
  display_name: 'Toolset',
  method: 'to_toolkit',
  types: ['Tool'],
  cache: true,
};

/** Reads all components, with the nodes that Langflow's editor saves for them. Throws when Python fails. */
export function readAuthors(python: string): Author {
  const printed = execFileSync(python, [join(__dirname, 'saved-nodes.py'), workerFolder, folder], {
    timeout: savingMilliseconds,
    maxBuffer: maximumBytes,
    encoding: 'utf8',
  });
  const nodes = JSON.parse(printed) as Readonly<Record<string, SavedNode | { readonly failed: string }>>;
  return (name, { number = 1, tools = false, ...more } = {}) => {
    const saved = nodes[name];
    if (saved === undefined) throw new Error(`There is no component ${name}.py.`);
    if ('failed' in saved) throw new Error(`${name}.py has no node: ${saved.failed}`);
    const { type } = saved;
    const node = withoutCode(saved.node);
    return {
      id: `${type}-${number}`,
      code: readFileSync(join(folder, `${name}.py`), 'utf8'),
      node: tools ? { ...node, tool_mode: true } : node,
      ...(tools ? { outputs: [toolsOutput] } : {}),
      ...more,
    };
  };
}

/** The text is the vertex's own; a node with code would be refused as edited. */
function withoutCode(node: PythonObject): PythonObject {
  const fields = Object.entries(node['template'] as PythonObject).filter(([name]) => name !== 'code');
  const members = Object.entries(node).filter(([name]) => name !== 'metadata');
  return { ...Object.fromEntries(members), template: Object.fromEntries(fields) };
}

/** Returns a vertex of a text for which the editor has no node, since it does not compile. */
export function brokenAuthor(name: string, id: string, output: string): TestVertex {
  return { id, code: readFileSync(join(folder, `${name}.py`), 'utf8'), outputs: [output] };
}
