import { splitPattern } from '../format/format-pattern';
import { missingKey, parseFormat } from '../format/format-string';
import { parseMustache } from './mustache-template';
import { PythonFormatError } from '../format/python-format-error';
import { repr } from '../repr/repr';
import { Data, Message } from '../values/python-value';
import type { PythonObject, PythonValue } from '../values/python-value';

/** A parsed prompt template. */
export interface PromptTemplate {
  /**
   * Returns the template with the value of each variable inserted: the text of a Message, the text of a Data under its
   * key, a list as Python prints it with the texts of its elements, the `str` of anything else. Values are never parsed
   * as templates. Throws a PythonFormatError for an invalid template, and (without mustache) a KeyError for a variable
   * without a value.
   */
  render(values: PythonObject): string;
}

/** Parses a prompt template: `{name}` as in Python's f-strings, or `{{name}}` with `mustache`. Never throws. */
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

// Prompts are more restricted than other patterns: they must not access members of values.
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

/** Returns the value of a variable in the form that the template inserts. */
function textOf(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return value.text;
  return Array.isArray(value) ? value.map((item: PythonValue) => textOf(item)) : value;
}
