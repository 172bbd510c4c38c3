/** The known name that a mistyped one most likely meant; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined;
