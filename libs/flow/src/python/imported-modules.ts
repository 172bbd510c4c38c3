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

/** Replaces comments and the contents of string literals, so that no line of them counts as a statement. */
function withoutTexts(text: string): string {
  return text.replace(
    /#[^\n]*|[rbuf]{0,2}("""|''')(?:\\[^]|(?!\1)[^\\])*\1|[rbuf]{0,2}(["'])(?:\\[^]|(?!\2)[^\\\n])*\2/gi,
    (found) => (found.startsWith('#') ? '' : '""'),
  );
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
