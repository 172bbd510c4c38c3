import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../cli-error';
import { ExportMembers } from './export-members';
import type { ComponentSource, LangflowCode } from './langflow-code';

interface CodeTemplate {
  readonly code?: { readonly value?: string };
}

interface Graph {
  readonly nodes: readonly { readonly data: { readonly type: string; readonly node?: NodeBody } }[];
}

interface NodeBody {
  readonly template?: CodeTemplate;
  readonly edited?: boolean;
  /** The flow of a group. */
  readonly flow?: { readonly data: Graph };
}

/** The components by type, in groups. */
interface ComponentIndex {
  readonly entries: readonly (readonly [
    string,
    Readonly<Record<string, { readonly template: CodeTemplate }>>,
  ])[];
}

interface BundleManifest {
  readonly bundles?: readonly { readonly name: string; readonly path: string }[];
}

const INDEX = join('lfx', '_assets', 'component_index.json');
const TOOL_DATA = join('lfx', 'custom', 'custom_component', 'component.py');
/** Python sources whose models declare members. */
const DECLARATIONS = [
  ['node', join('lfx', 'template', 'frontend_node', 'base.py')],
  ['field', join('lfx', 'inputs', 'input_mixin.py')],
] as const;
const TEMPLATES = join('langflow', 'initial_setup', 'starter_projects');

/**
 * Reads a site-packages folder: the component index of lfx, the sources of extension bundles, which have no index, and the
 * unedited nodes of the starter templates, which can have code of earlier releases. Members are also those that models
 * declare, which are not saved while they have no value. Throws CliError.
 */
export function readInstalledLangflow(folder: string): LangflowCode {
  const components = readIndex(folder);
  const graphs = templateGraphs(folder);
  const members = new ExportMembers();
  for (const [, component] of components) members.addComponent(component);
  for (const graph of graphs) addGraph(members, graph);
  for (const [place, path] of DECLARATIONS) members.add(place, declaredNames(textOf(join(folder, path))));
  members.add('toolRow', namesOfToolRows(textOf(join(folder, TOOL_DATA))));
  return {
    sources: [
      ...components.flatMap(([type, { template }]) => sourceOf(type, template)),
      ...bundleSources(folder),
      ...graphs.flatMap(shippedSources),
    ],
    members,
  };
}

function readIndex(folder: string) {
  const file = join(folder, INDEX);
  if (!existsSync(file))
    throw new CliError(
      'input',
      `${folder} does not contain ${INDEX}: name the site-packages folder of Langflow 1.6 or newer.`,
    );
  const { entries } = JSON.parse(readFileSync(file, 'utf8')) as ComponentIndex;
  return entries.flatMap(([, components]) => Object.entries(components));
}

/** The graphs of the flows that Langflow ships; none where only lfx is installed. */
function templateGraphs(folder: string): readonly Graph[] {
  const templates = join(folder, TEMPLATES);
  if (!existsSync(templates)) return [];
  return readdirSync(templates)
    .filter((name) => name.endsWith('.json'))
    .map((name) => (JSON.parse(readFileSync(join(templates, name), 'utf8')) as { data: Graph }).data);
}

function sourceOf(type: string, template: CodeTemplate | undefined): readonly ComponentSource[] {
  const text = template?.code?.value;
  return text ? [{ type, text }] : [];
}

function shippedSources({ nodes }: Graph): readonly ComponentSource[] {
  return nodes.flatMap(({ data }) => {
    const { template, edited, flow } = data.node ?? {};
    if (flow) return shippedSources(flow.data);
    return edited === true ? [] : sourceOf(data.type, template);
  });
}

/**
 * Yields the code of extension bundles. A class of a bundle is the type `ext:<bundle>:<Class>@official`, and the code of
 * its node is the text of its file.
 */
function* bundleSources(folder: string): Generator<ComponentSource> {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('lfx_'))) {
    const manifest = join(folder, name, 'extension.json');
    if (!existsSync(manifest)) continue;
    const { bundles = [] } = JSON.parse(readFileSync(manifest, 'utf8')) as BundleManifest;
    for (const bundle of bundles) {
      const sources = join(folder, name, bundle.path);
      if (!existsSync(sources)) continue;
      for (const path of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
        if (!path.endsWith('.py')) continue;
        const text = readFileSync(join(sources, path), 'utf8');
        for (const [, className = ''] of text.matchAll(/^class (\w+)\(/gm))
          yield { type: `ext:${bundle.name}:${className}@official`, text };
      }
    }
  }
}

function addGraph(members: ExportMembers, graph: Graph): void {
  members.add('graph', Object.keys(graph));
  for (const { data } of graph.nodes) {
    if (data.node?.template === undefined) continue;
    members.add('nodeData', Object.keys(data));
    members.addComponent(data.node);
    if (data.node.flow) addGraph(members, data.node.flow.data);
  }
}

/** Returns the names of the members that the models in a Python source declare, as JSON names them. */
function declaredNames(source: string): readonly string[] {
  return source.split('\n').flatMap((line) => {
    const [, name] = /^ {4}([a-z]\w*): (?!ClassVar)/.exec(line) ?? [];
    const [, alias] = /alias="(\w+)"/.exec(line) ?? [];
    return name === undefined ? [] : [alias ?? name];
  });
}

function namesOfToolRows(source: string): readonly string[] {
  const [row = ''] = /def _build_tool_data\([\s\S]*?\n {8}\}/.exec(source) ?? [];
  return [...row.matchAll(/^ +"(\w+)":/gm)].map(([, name = '']) => name);
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
