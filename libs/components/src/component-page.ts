import type { Component, Input } from '@millrace/flow';

const begin = '<!-- generated from the component; `npm run generate -- pages` -->';
const end = '<!-- end of the generated part -->';

/**
 * A component's page with its tables brought up to date; what an author wrote below them stays. An empty page begins
 * with a place to write.
 */
export function componentPage(component: Component, page: string): string {
  const finish = page.indexOf(end);
  const written =
    finish === -1 ? '\n\nWrite what a user of this component must know.\n' : page.slice(finish + end.length);
  return `${begin}\n\n${tables(component)}\n\n${end}${written}`;
}

/** What an author wrote on a page, without the tables. */
export function writtenPart(page: string): string {
  const finish = page.indexOf(end);
  return finish === -1 ? page : page.slice(finish + end.length).trim();
}

function tables(component: Component): string {
  const { type, aliases = [], displayName, description } = component;
  const alsoCalled = aliases.length === 0 ? '' : `, also ${aliases.map(code).join(', ')}`;
  return [
    `# ${displayName}`,
    `Type ${code(type)}${alsoCalled}. ${description}`,
    cachingOf(component),
    '## Inputs',
    inputTable(component),
    '## Outputs',
    outputTable(component),
  ].join('\n\n');
}

function cachingOf({ deterministic, reusable }: Component): string {
  if (deterministic) return 'Same inputs give the same outputs, so that its results may be cached.';
  return reusable
    ? 'The same inputs may give another answer. Its results are cached where the setting of a flow says so.'
    : 'Its results are never cached: the same inputs may give another answer.';
}

function inputTable({ inputs }: Component): string {
  const rows = Object.entries(inputs).map(([name, input]) =>
    row([code(name), input.displayName ?? '', kindOf(input), input.inputTypes.join(', '), defaultOf(input)]),
  );
  return [row(['input', 'shown as', 'kind', 'takes wires of', 'default']), separator(5), ...rows].join('\n');
}

function outputTable({ outputs }: Component): string {
  const all = Object.entries(outputs);
  const rows = all.map(([name, output]) => [code(name), output.displayName ?? '', output.types.join(', ')]);
  if (all.every(([, { method }]) => method === undefined)) {
    return [row(['output', 'shown as', 'types']), separator(3), ...rows.map(row)].join('\n');
  }
  const tools = all.map(([name, output]) => (output.tool === false ? '' : code(output.method ?? name)));
  return [
    row(['output', 'shown as', 'types', 'as a tool']),
    separator(4),
    ...rows.map((cells, index) => row([...cells, tools[index] ?? ''])),
  ].join('\n');
}

function kindOf(input: Input<unknown>): string {
  const marks = [
    input.required ? 'required' : '',
    input.list ? 'list' : '',
    input.advanced ? 'advanced' : '',
    input.tool ? 'argument of the tool' : '',
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
