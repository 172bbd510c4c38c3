import { PythonFormatError } from '../format/python-format-error';
import { str } from '../repr/str';
import { checkTextLength } from '../format/text-limit';
import type { PythonObject, PythonValue } from '../values/python-value';

/** A parsed template with `{{name}}` tags. */
export interface MustacheTemplate {
  /** The variables' names in order of appearance, each once. */
  readonly variables: readonly string[];
  /** Inserts the values; a missing value or None is empty. Throws a PythonFormatError for anything but plain tags. */
  render(values: PythonObject): string;
}

const name = '[a-zA-Z_][a-zA-Z0-9_]*';
const complexTags = ['{{{', '{{#', '{{/', '{{^', '{{&', '{{>', '{{!', '{{.'];

/**
 * Parses a mustache template in one pass. Values are inserted as they are and never parsed as templates. Never throws.
 */
export function parseMustache(
  template: string,
  textOf: (value: PythonValue) => PythonValue = (value) => value,
): MustacheTemplate {
  const refusal = mustacheRefusal(template);
  // Odd elements are names, because the pattern has one group.
  const pieces = template.split(new RegExp(`\\{\\{(${name})\\}\\}`));
  const variables = [...new Set(pieces.filter((_, index) => index % 2 === 1))];
  return {
    variables,
    render(values) {
      if (refusal !== null) throw new PythonFormatError('ValueError', refusal);
      let text = '';
      for (const [index, piece] of pieces.entries()) {
        text += index % 2 === 0 ? piece : valueText(values, piece, textOf);
        checkTextLength(text.length);
      }
      return text;
    },
  };
}

function valueText(
  values: PythonObject,
  variable: string,
  textOf: (value: PythonValue) => PythonValue,
): string {
  const value = Object.hasOwn(values, variable) ? values[variable] : undefined;
  return value === undefined || value === null ? '' : str(textOf(value));
}

/** Returns why a mustache template is rejected, or null: only plain variables are allowed. */
export function mustacheRefusal(template: string): string | null {
  if (complexTags.some((tag) => template.includes(tag))) {
    return 'Complex mustache syntax is not allowed. Only simple variable substitution like {{variable}} is permitted.';
  }
  const plain = new RegExp(`^${name}$`);
  for (const tag of tags(template)) {
    if (!plain.test(tag)) {
      return `Invalid mustache variable: {{${tag}}}. Only simple variable names like {{variable}} are allowed.`;
    }
  }
  return null;
}

/** Yields the text between each `{{` and the following `}}` if no other brace closes before. Linear time. */
function* tags(template: string): Iterable<string> {
  let closing = -1;
  let opening = template.indexOf('{{');
  while (opening !== -1) {
    if (closing < opening + 2) closing = template.indexOf('}', opening + 2);
    if (closing === -1) return;
    const isTag = template[closing + 1] === '}' && closing > opening + 2;
    if (isTag) yield template.slice(opening + 2, closing);
    opening = template.indexOf('{{', isTag ? closing + 2 : opening + 1);
  }
}
