import type { Component, Input, Output } from '@millrace/flow';

const begin = '<!-- `npm run generate -- pages` -->';
/** Ends what is generated of a page or of a section; the text of an author follows, up to the next section. */
const end = '<!--end-->';
const placeholder = 'Write what a user of this component must know.';
/** An input that so many components of a page have is described once. */
const COMMON_FROM = 3;
const MOST_OPTIONS_LISTED = 8;

/** A section of a page, and the components that it describes. Several differ in names and defaults of inputs only. */
interface ComponentSection {
  readonly title: string;
  readonly components: readonly [Component, ...Component[]];
}

/** A page of `docs/components`: the components of a family, such as `search`. */
export interface ComponentPage {
  readonly name: string;
  readonly sections: readonly ComponentSection[];
}

/** The sections of several components: those that have the form of the component `like`. */
const sharedSections: readonly { readonly title: string; readonly like: string }[] = [
  { title: 'Chat models that are called as OpenAI is', like: 'GroqModel' },
  { title: 'Embedding models that are called as OpenAI is', like: 'OllamaEmbeddings' },
];

/** Returns the pages of all components, by their families, in the order of their names. */
export function componentPages(
  all: readonly Component[],
  familyOf: (component: Component) => string,
): readonly ComponentPage[] {
  const families = Map.groupBy(all, familyOf);
  return [...families].map(([name, components]) => ({ name, sections: sectionsOf(components) }));
}

function sectionsOf(components: readonly Component[]): readonly ComponentSection[] {
  const shared = new Map(
    sharedSections.map(({ title, like }) => [formOf(components.find(({ type }) => type === like)), title]),
  );
  const sections = new Map<string, [Component, ...Component[]]>();
  for (const component of components) {
    const title = shared.get(formOf(component)) ?? titleOf(component, components);
    const others = sections.get(title);
    if (others === undefined) sections.set(title, [component]);
    else others.push(component);
  }
  return [...sections].map(([title, described]) => ({ title, components: described }));
}

/** Returns the display name, with the type where another component of the page has the same. */
function titleOf({ type, displayName }: Component, components: readonly Component[]): string {
  const isUnique = components.every((other) => other.type === type || other.displayName !== displayName);
  return isUnique ? displayName : `${displayName} (${type})`;
}

/** Returns what components of one section have in common. */
function formOf(component: Component | undefined): string {
  if (component === undefined) return '';
  const inputs = Object.values(component.inputs).map(({ displayName, ...input }) => [
    displayName,
    kindOf(input),
  ]);
  return JSON.stringify([inputs, component.outputs, cachingText(component)]);
}

/**
 * Returns a page with its generated parts updated; the texts below them, which authors wrote, are kept. A new section gets a
 * placeholder for that text.
 */
export function componentPage({ name, sections }: ComponentPage, page: string): string {
  const authored = authoredSections(page);
  const common = commonLines(sections);
  const head = [
    begin,
    `# ${pageTitle(name)}`,
    '[Legend](README.md#how-to-read-a-page).',
    ...(common.length === 0 ? [] : ['Common inputs and outputs:', list(common)]),
    end,
    ...authoredIntroduction(page),
  ];
  const parts = sections.map((section) =>
    [
      `## ${section.title}`,
      ...(section.components.length === 1
        ? componentParts(section.components[0], common)
        : sharedParts(section.components)),
      end,
      authored.get(section.title) ?? placeholder,
    ].join('\n\n'),
  );
  return `${[...head, ...parts].join('\n\n')}\n`;
}

/** Returns the page that says where the types of components are described. */
export function componentIndex(pages: readonly ComponentPage[], index: string): string {
  const start = index.indexOf(begin);
  const authored = start === -1 ? '# Components\n\n' : index.slice(0, start);
  const lines = pages.map(({ name, sections }) => {
    const types = sections.flatMap(({ components }) => components.map(({ type }) => code(type)));
    return `[${pageTitle(name)}](${name}.md): ${types.join(', ')}`;
  });
  return `${authored}${begin}\n\n${list(lines)}\n`;
}

/** Returns the texts that authors wrote, by the titles of their sections. */
export function authoredSections(page: string): ReadonlyMap<string, string> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [title = ''] = section.split('\n', 1);
      const [, authored = placeholder] = section.split(end);
      return [title, authored.trim()];
    }),
  );
}

/** Returns what an author wrote above the first section, if anything. */
function authoredIntroduction(page: string): readonly string[] {
  const [head = ''] = page.split(/^## /m, 1);
  const [, authored = ''] = head.split(end);
  return authored.trim() === '' ? [] : [authored.trim()];
}

const pageTitles: ReadonlyMap<string, string> = new Map([
  ['input-output', 'Input and output'],
  ['mcp', 'MCP'],
]);

/** `sub-flows` is the page "Sub flows". */
function pageTitle(name: string): string {
  const title = pageTitles.get(name);
  if (title !== undefined) return title;
  const words = name.replaceAll('-', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Returns the lines of inputs and outputs that several sections of a page have: for a name, the most frequent one. */
function commonLines(sections: readonly ComponentSection[]): readonly string[] {
  const single = sections.flatMap(({ components }) => (components.length === 1 ? [components[0]] : []));
  const common = (linesOf: (component: Component) => readonly string[]): readonly string[] => {
    const frequent = [...Map.groupBy(single.flatMap(linesOf), (line) => line)]
      .filter(([, equal]) => equal.length >= COMMON_FROM)
      .toSorted(([, one], [, other]) => other.length - one.length)
      .map(([line]) => line);
    return frequent.filter(
      (line, index) => frequent.findIndex((one) => nameOf(one) === nameOf(line)) === index,
    );
  };
  return [...common(inputLines), ...common(outputLines)];
}

/** Returns the part of a line before the colon. */
function nameOf(line: string): string {
  return line.slice(0, line.indexOf(': '));
}

function componentParts(component: Component, common: readonly string[]): readonly string[] {
  const lines = [...inputLines(component), ...outputLines(component)];
  const shared = sharedNames(lines.filter((line) => common.includes(line)).map(nameOf), common);
  const own = lines.filter((line) => !common.includes(line));
  return [
    `${typesOf(component)}. ${component.description} ${cachingText(component)}`,
    list(shared.length === 0 ? own : [...own, `common: ${shared.join(', ')}`]),
  ];
}

/** Returns the names of common lines. All outputs of the page, where there are several, are named together. */
function sharedNames(names: readonly string[], common: readonly string[]): readonly string[] {
  const outputs = common.map(nameOf).filter((name) => name.startsWith('→'));
  const hasAll = outputs.length > 1 && outputs.every((name) => names.includes(name));
  return hasAll ? [...names.filter((name) => !outputs.includes(name)), 'all outputs'] : names;
}

function sharedParts(components: ComponentSection['components']): readonly string[] {
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
  const table = [
    row(['component', 'type', ...columns.map(({ title }) => title)]),
    separator(columns.length + 2),
  ];
  return [
    cachingText(first),
    [...table, ...rows].join('\n'),
    'The other inputs, and the outputs:',
    list([
      ...inputLines({
        ...first,
        inputs: Object.fromEntries(Object.entries(first.inputs).filter(([name]) => !differing.has(name))),
      }),
      ...outputLines(first),
    ]),
  ];
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
  if (deterministic) return 'Cached.';
  return reusable ? 'Cached on request.' : 'Never cached.';
}

function inputLines({ inputs }: Component): readonly string[] {
  return Object.entries(inputs).map(([name, input]) => {
    const value = defaultOf(input);
    return `${code(name)}: ${kindOf(input)}${value === '' ? '' : `, ${value}`}`;
  });
}

function outputLines({ outputs }: Component): readonly string[] {
  return Object.entries(outputs).map(([name, output]) => `→ ${code(name)}: ${outputText(name, output)}`);
}

function outputText(name: string, { types, tool, method = name }: Output): string {
  const type = types[0] ?? '';
  return tool === false || method === name ? type : `${type}, tool ${code(method)}`;
}

function kindOf(input: Omit<Input<unknown>, 'displayName'>): string {
  const marks = [
    input.required ? 'required' : '',
    input.list ? 'list' : '',
    input.tool ? 'tool argument' : '',
  ];
  return [optionsOf(input), ...marks.filter((mark) => mark !== '')].join(', ');
}

function optionsOf({ kind, options }: Omit<Input<unknown>, 'displayName'>): string {
  const named = (options ?? []).filter((option) => option !== '');
  if (named.length === 0) return kind;
  return `${kind} (${named.length > MOST_OPTIONS_LISTED ? `${named.length} options` : named.join(', ')})`;
}

function defaultOf(input: Input<unknown>): string {
  const { default: value } = input;
  const isPlain = typeof value === 'string' || typeof value === 'number' || value === true;
  return isPlain && value !== '' ? code(JSON.stringify(value)) : '';
}

function code(text: string): string {
  return `\`${text}\``;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function separator(columns: number): string {
  return row(Array.from({ length: columns }, () => '---'));
}
