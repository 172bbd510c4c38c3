import { splitPattern } from './format-pattern';
import { missingKey, parseFormat } from './format-string';
import { parseMustache } from './mustache-template';
import { PythonFormatError } from './python-format-error';
import { repr } from './repr';
import { Data } from '../values/data';
import { Message } from '../values/message';
import type { PythonObject, PythonValue } from '../values/python-value';

/** A prompt's template, taken apart once. */
export interface PromptTemplate {
  /**
   * The template with each variable's value in its place: a Message gives its text, a Data the text under its key, a
   * list its elements' texts as Python shows a list, anything else its `str`. Values are never read as templates.
   * Throws a PythonFormatError for what the template may not hold, and (without mustache) a KeyError for a variable
   * that has no value.
   */
  render(values: PythonObject): string;
}

/** Takes a prompt's template apart: `{name}` as in Python's f-strings, or `{{name}}` with `mustache`. Never throws. */
export function parsePromptTemplate(
  template: string,
  options: { readonly mustache?: boolean } = {},
): PromptTemplate {
  return options.mustache === true ? parseMustache(template, textOf) : parseBraces(template);
}

function parseBraces(template: string): PromptTemplate {
  const refusal = refusalOf(template);
  const parsed = parseFormat(template);
  return {
    render(values) {
      if (refusal !== null) throw new PythonFormatError('ValueError', refusal);
      const lookup = (name: string): PythonValue => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) throw missingKey(name);
        return textOf(value);
      };
      return parsed.format(lookup, { positional: 'missing' });
    },
  };
}

// Prompts are more restricted than other patterns: they must not reach into values.
function refusalOf(template: string): string | null {
  for (const part of splitPattern(template)) {
    if (typeof part === 'string') continue;
    if (part instanceof PythonFormatError) return part.message;
    const { name, specification } = part;
    if (/[.[\]]/.test(name)) {
      return (
        `Invalid variable name ${repr(name)} in f-string template. ` +
        'Variable names cannot contain attribute access (.) or indexing ([]).'
      );
    }
    if (/^\p{Nd}+$/u.test(name)) {
      return (
        `Invalid variable name ${repr(name)} in f-string template. ` +
        'Variable names cannot be all digits as they are interpreted as positional arguments.'
      );
    }
    if (/[{}]/.test(specification)) {
      return 'Invalid format specifier in f-string template. Nested replacement fields are not allowed.';
    }
  }
  return null;
}

/** What a variable's value becomes before the template sees it. */
function textOf(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return value.text;
  return Array.isArray(value) ? value.map((item: PythonValue) => textOf(item)) : value;
}
