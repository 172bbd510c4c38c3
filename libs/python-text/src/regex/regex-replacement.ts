import { PythonRegexError, regexErrorAt } from './python-regex-error';

/** The groups to which a replacement can refer. */
export interface RegexGroups {
  readonly count: number;
  readonly names: Readonly<Record<string, number>>;
}

const controls: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Parses a template of Python's `re.sub` into texts and group numbers. Throws a PythonRegexError. */
export function parseReplacement(template: string, groups: RegexGroups): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let copied = 0;
  for (const match of template.matchAll(/\\(?:g(?:<([^>]*)>)?|([1-9][0-9]?)|(0[0-7]{0,2})|([\s\S]?))/g)) {
    const [whole, name, digits, octal, letter] = match;
    parts.push(template.slice(copied, match.index));
    copied = match.index + whole.length;
    if (whole.startsWith('\\g')) parts.push(namedGroup(name, template, match.index, groups));
    else if (digits !== undefined) parts.push(numberedGroup(digits, template, match.index + 1, groups));
    else if (octal !== undefined) parts.push(String.fromCharCode(Number.parseInt(octal, 8)));
    else parts.push(escaped(letter ?? '', template, match.index));
  }
  parts.push(template.slice(copied));
  return parts;
}

function namedGroup(name: string | undefined, template: string, offset: number, groups: RegexGroups): number {
  if (name === undefined) throw regexErrorAt('missing <', template, offset + 2);
  if (/^\d+$/.test(name)) return numberedGroup(name, template, offset + 3, groups);
  const number = Object.hasOwn(groups.names, name) ? groups.names[name] : undefined;
  if (number === undefined) throw new PythonRegexError(`unknown group name '${name}'`);
  return number;
}

function numberedGroup(digits: string, template: string, offset: number, groups: RegexGroups): number {
  const number = Number(digits);
  if (number > groups.count) throw regexErrorAt(`invalid group reference ${number}`, template, offset);
  return number;
}

function escaped(letter: string, template: string, offset: number): string {
  if (letter === '') throw regexErrorAt('bad escape (end of pattern)', template, offset);
  const control = controls[letter];
  if (control !== undefined) return control;
  if (/[A-Za-z]/.test(letter)) throw regexErrorAt(`bad escape \\${letter}`, template, offset);
  return `\\${letter}`;
}
