/** Splits a command line into words, with quotes and backslashes as in a shell; nothing else is interpreted. */
export function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs);
  return [...words].map(([word]) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, unquoted));
}

function unquoted(_all: string, double?: string, single?: string, escaped?: string): string {
  return double?.replace(/\\(["\\])/g, '$1') ?? single ?? escaped ?? '';
}
