import { splitPattern } from '../format/format-pattern';
import { mustacheRefusal, parseMustache } from './mustache-template';
import { PythonFormatError } from '../format/python-format-error';

/**
 * Returns the variables of a prompt template in order of appearance, each once; an editor creates fields for them.
 * Names that look like JSON, and names that also occur in double braces, are skipped. Throws a PythonFormatError
 * (ValueError) for unbalanced braces, for names with blanks or punctuation, and for reserved names.
 */
export function promptVariables(template: string, mustache = false): readonly string[] {
  return mustache ? mustacheVariables(template) : braceVariables(template);
}

const reserved = [
  'code',
  'input_variables',
  'output_parser',
  'partial_variables',
  'template',
  'template_format',
  'validate_template',
];
const invalidCharacters = /[\s,.:;!?/\\()[\]]/;

function mustacheVariables(template: string): readonly string[] {
  const refusal = mustacheRefusal(template);
  if (refusal !== null) throw refused(refusal);
  if (count(template, '{{') !== count(template, '}}')) {
    throw refused(
      'Invalid template syntax. Check that all {{variables}} have matching opening and closing braces.',
    );
  }
  const { variables } = parseMustache(template);
  refuseReserved(variables);
  return variables;
}

function braceVariables(template: string): readonly string[] {
  const names = new Set<string>();
  const literal = new Set(Array.from(template.matchAll(/\{\{([^{}]*)\}\}/g), ([, name]) => name));
  for (const part of splitPattern(template)) {
    if (part instanceof PythonFormatError) throw part;
    if (typeof part === 'string' || looksLikeJson(part.name)) continue;
    if (!literal.has(part.name)) names.add(part.name);
  }
  const variables = [...names];
  refuseInvalid(variables);
  refuseReserved(variables);
  return variables;
}

function looksLikeJson(name: string): boolean {
  return /^\s*["'{}[]/.test(name) || name.startsWith('\n');
}

function refuseInvalid(variables: readonly string[]): void {
  const invalid = variables.filter((name) => invalidCharacters.test(name) || /^[0-9]/.test(name));
  const empty = variables.filter((name) => name === '');
  if (invalid.length === 0 && empty.length === 0) return;
  const fixed = variables.map((name) =>
    name.replaceAll(new RegExp(invalidCharacters, 'g'), '').replace(/^[0-9]+/, ''),
  );
  throw refused(
    `Input variables contain invalid characters or formats. \nInvalid variables: ${invalid.join(', ')}.\n` +
      `Empty variables: ${empty.join(', ')}. \nFixed variables: ${fixed.join(', ')}.`,
  );
}

function refuseReserved(variables: readonly string[]): void {
  if (!variables.some((name) => reserved.includes(name))) return;
  const names = reserved.join(', ');
  throw refused(`Invalid input variables. None of the variables can be named ${names}. `);
}

function refused(message: string): PythonFormatError {
  return new PythonFormatError('ValueError', message);
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
