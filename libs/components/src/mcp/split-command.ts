/** The words of a command line, with quotes and backslashes as in a shell, and nothing else of it. */
export function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs);
  return [...words].map(([word]) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, unquoted));
}

function unquoted(_all: string, double?: string, single?: string, escaped?: string): string {
  return double?.replace(/\\(["\\])/g, '$1') ?? single ?? escaped ?? '';
}
