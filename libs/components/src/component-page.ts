import type { Component, Input } from '@millrace/flow';

const begin = '<!-- generated from the component; `npm run generate -- pages` -->';
const end = '<!-- end of the generated part -->';

/**
 * Returns a component's page with its generated tables updated; the part below them, which an author wrote, is kept. An
 * empty page gets a placeholder for that part.
 */
export function componentPage(component: Component, page: string): string {
  const endIndex = page.indexOf(end);
  const authored =
    endIndex === -1
      ? '\n\nWrite what a user of this component must know.\n'
      : page.slice(endIndex + end.length);
  return `${begin}\n\n${tables(component)}\n\n${end}${authored}`;
}

/** Returns the part of a page that an author wrote, without the generated tables. */
export function authoredPart(page: string): string {
  const endIndex = page.indexOf(end);
  return endIndex === -1 ? page : page.slice(endIndex + end.length).trim();
}

function tables(component: Component): string {
  const { type, aliases = [], displayName, description } = component;
  const aliasText = aliases.length === 0 ? '' : `, also ${aliases.map(code).join(', ')}`;
  return [
    `# ${displayName}`,
    `Type ${code(type)}${aliasText}. ${description}`,
    cachingText(component),
    '## Inputs',
    inputTable(component),
    '## Outputs',
    outputTable(component),
  ].join('\n\n');
}

function cachingText({ deterministic, reusable }: Component): string {
  if (deterministic) return 'The same inputs give the same outputs, so results can be cached.';
  return reusable
    ? 'The same inputs can give different outputs. Results are cached only if the settings of the flow enable it.'
    : 'Results are never cached, because the same inputs can give different outputs.';
}

function inputTable({ inputs }: Component): string {
  const rows = Object.entries(inputs).map(([name, input]) =>
    row([code(name), input.displayName ?? '', kindOf(input), input.inputTypes.join(', '), defaultOf(input)]),
  );
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

function kindOf(input: Input<unknown>): string {
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
