/** Returns the known name that a mistyped name most likely means; undefined when none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined;
