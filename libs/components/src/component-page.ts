import type { Component, Input } from '@millrace/flow';

const begin = '<!-- generated from the component; `npm run generate -- pages` -->';
const end = '<!-- end of the generated part -->';

/** A page of `docs/components`, and the components that it describes. */
export interface ComponentPage {
  readonly name: string;
  /** Several components differ in names and defaults of inputs only. */
  readonly components: readonly [Component, ...Component[]];
}

/** The pages of several components: those that have the form of the component `like`. */
const sharedPages: readonly { readonly name: string; readonly title: string; readonly like: string }[] = [
  { name: 'CompatibleModels', title: 'Chat models that are called as OpenAI is', like: 'GroqModel' },
  {
    name: 'CompatibleEmbeddings',
    title: 'Embedding models that are called as OpenAI is',
    like: 'OllamaEmbeddings',
  },
];

/** Returns the pages of all components. */
export function componentPages(all: readonly Component[]): readonly ComponentPage[] {
  const sharedNames = new Map(
    sharedPages.map(({ name, like }) => [formOf(all.find(({ type }) => type === like)), name]),
  );
  const pages = new Map<string, [Component, ...Component[]]>();
  for (const component of all) {
    const name = sharedNames.get(formOf(component)) ?? component.type;
    const others = pages.get(name);
    if (others === undefined) pages.set(name, [component]);
    else others.push(component);
  }
  return [...pages].map(([name, components]) => ({ name, components }));
}

/** Returns what components of one page have in common. */
function formOf(component: Component | undefined): string {
  if (component === undefined) return '';
  const inputs = Object.values(component.inputs).map(({ displayName, ...input }) => [
    displayName,
    kindOf(input),
  ]);
  return JSON.stringify([inputs, component.outputs, cachingText(component)]);
}

/**
 * Returns a page with its generated tables updated; the part below them, which an author wrote, is kept. An empty page gets
 * a placeholder for that part.
 */
export function componentPage({ name, components }: ComponentPage, page: string): string {
  const endIndex = page.indexOf(end);
  const authored =
    endIndex === -1
      ? '\n\nWrite what a user of this component must know.\n'
      : page.slice(endIndex + end.length);
  const shared = sharedPages.find((one) => one.name === name);
  const parts = shared === undefined ? tables(components[0]) : sharedTables(shared.title, components);
  return `${begin}\n\n${parts}\n\n${end}${authored}`;
}

/** Returns the part of a page that an author wrote, without the generated tables. */
export function authoredPart(page: string): string {
  const endIndex = page.indexOf(end);
  return endIndex === -1 ? page : page.slice(endIndex + end.length).trim();
}

function tables(component: Component): string {
  return [
    `# ${component.displayName}`,
    `Type ${typesOf(component)}. ${component.description}`,
    cachingText(component),
    '## Inputs',
    inputTable(component),
    '## Outputs',
    outputTable(component),
  ].join('\n\n');
}

function sharedTables(title: string, components: ComponentPage['components']): string {
  const [first] = components;
  const columns = Object.entries(first.inputs).flatMap(([name, input], position) => {
    const cells = components.map((component) => namedDefault(component, position));
    const isOne = cells.every((cell) => cell === cells[0]);
    return isOne ? [] : [{ name, title: input.displayName ?? '', cells }];
  });
  const rows = components.map((component, index) =>
    row([component.displayName, typesOf(component), ...columns.map(({ cells }) => cells[index] ?? '')]),
  );
  const differing = new Set(columns.map(({ name }) => name));
  return [
    `# ${title}`,
    cachingText(first),
    [
      row(['component', 'type', ...columns.map((column) => column.title)]),
      separator(columns.length + 2),
      ...rows,
    ].join('\n'),
    '## Inputs',
    'Names and defaults that differ are in the table above.',
    inputTable(first, differing),
    '## Outputs',
    outputTable(first),
  ].join('\n\n');
}

/** Returns the name of an input by its position, and its default. */
function namedDefault({ inputs }: Component, position: number): string {
  const [name = '', input] = Object.entries(inputs)[position] ?? [];
  const value = input === undefined ? '' : defaultOf(input);
  return value === '' ? code(name) : `${code(name)}: ${value}`;
}

function typesOf({ type, aliases = [] }: Component): string {
  return aliases.length === 0 ? code(type) : `${code(type)}, also ${aliases.map(code).join(', ')}`;
}

function cachingText({ deterministic, reusable }: Component): string {
  if (deterministic) return 'The same inputs give the same outputs, so results can be cached.';
  return reusable
    ? 'The same inputs can give different outputs. Results are cached only if the settings of the flow enable it.'
    : 'Results are never cached, because the same inputs can give different outputs.';
}

function inputTable({ inputs }: Component, differing: ReadonlySet<string> = new Set()): string {
  const rows = Object.entries(inputs).map(([name, input]) => {
    const [named, value] = differing.has(name) ? ['', ''] : [code(name), defaultOf(input)];
    return row([named, input.displayName ?? '', kindOf(input), input.inputTypes.join(', '), value]);
  });
  return [row(['input', 'display name', 'kind', 'accepts', 'default']), separator(5), ...rows].join('\n');
}

function outputTable({ outputs }: Component): string {
  const all = Object.entries(outputs);
  const rows = all.map(([name, output]) => [code(name), output.displayName ?? '', output.types.join(', ')]);
  if (all.every(([, { method }]) => method === undefined)) {
    return [row(['output', 'display name', 'types']), separator(3), ...rows.map(row)].join('\n');
  }
  const tools = all.map(([name, output]) => (output.tool === false ? '' : code(output.method ?? name)));
  return [
    row(['output', 'display name', 'types', 'tool name']),
    separator(4),
    ...rows.map((cells, index) => row([...cells, tools[index] ?? ''])),
  ].join('\n');
}

function kindOf(input: Omit<Input<unknown>, 'displayName'>): string {
  const marks = [
    input.required ? 'required' : '',
    input.list ? 'list' : '',
    input.advanced ? 'advanced' : '',
    input.tool ? 'tool argument' : '',
  ];
  const options = input.options === undefined ? '' : ` of ${input.options.join(' / ')}`;
  return [`${input.kind}${options}`, ...marks.filter((mark) => mark !== '')].join(', ');
}

function defaultOf(input: Input<unknown>): string {
  const { default: value } = input;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain && value !== '' ? code(JSON.stringify(value)) : '';
}

function code(text: string): string {
  return `\`${text}\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function separator(columns: number): string {
  return row(Array.from({ length: columns }, () => '---'));
}
