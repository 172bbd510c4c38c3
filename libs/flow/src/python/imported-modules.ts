/** Names under which the worker provides lfx's modules. */
const renamed: Readonly<Record<string, string>> = { langflow: 'lfx' };

/**
 * Returns the top-level modules that a Python text imports when it is loaded, each once. Imports inside functions,
 * classes, `try` and `if` are omitted: they can be optional.
 */
export function importedModules(text: string): readonly string[] {
  const names = logicalLines(withoutTexts(text)).flatMap(modulesOf);
  return [...new Set(names.map((name) => (Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name)))];
}

const beginning = /#|"""|'''|"|'/g;

/** What ends a comment and the literals, or is an escape within one. A literal in single quotes ends with its line. */
const endings: Readonly<Record<string, RegExp>> = {
  '#': /\n/g,
  '"""': /\\[^]|"""/g,
  "'''": /\\[^]|'''/g,
  '"': /\\[^]|["\n]/g,
  "'": /\\[^]|['\n]/g,
};

/**
 * Replaces comments and the contents of string literals, so that no line of them counts as a statement. Takes linear
 * time and a constant stack, since authors choose the text: a literal that is not closed is not searched again.
 */
function withoutTexts(text: string): string {
  const kept: string[] = [];
  let position = 0;
  for (let begin = next(beginning, text, 0); begin !== null; begin = next(beginning, text, position)) {
    const [mark] = begin;
    kept.push(text.slice(position, begin.index), mark === '#' ? '' : '""');
    position = endOf(mark, text, begin.index + mark.length);
  }
  return kept.join('') + text.slice(position);
}

function endOf(mark: string, text: string, start: number): number {
  const ending = endings[mark] ?? /$/g;
  let found = next(ending, text, start);
  while (found?.[0].startsWith('\\') === true) found = next(ending, text, ending.lastIndex);
  if (found === null) return text.length;
  return found[0] === '\n' ? found.index : ending.lastIndex;
}

function next(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}

/** Joins the lines of a parenthesis and those that end with a backslash; only lines without indentation count. */
function logicalLines(text: string): readonly string[] {
  const joined = text.replace(/\\\r?\n/g, ' ').replace(/\([^()]*\)/g, (found) => found.replace(/\s+/g, ' '));
  return joined
    .split(/\r?\n/)
    .filter((line) => /^\S/.test(line))
    .flatMap((line) => line.split(';'));
}

function modulesOf(statement: string): readonly string[] {
  const from = /^\s*from\s+([\p{L}_][\p{L}\p{N}_]*)(?:\.[\p{L}\p{N}_.]*)?\s+import\b/u.exec(statement);
  if (from?.[1] !== undefined) return [from[1]];
  const list = /^\s*import\s+(.+)$/u.exec(statement)?.[1];
  if (list === undefined) return [];
  return list.split(',').flatMap((part) => {
    const name = /^\s*([\p{L}_][\p{L}\p{N}_]*)/u.exec(part)?.[1];
    return name === undefined ? [] : [name];
  });
}
