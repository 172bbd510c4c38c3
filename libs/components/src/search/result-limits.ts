const suffix = '... [truncated]';

/** How much of what is found is kept; 0 keeps everything. */
export interface ResultLimits {
  readonly results: number;
  readonly characters: number;
}

/** A text of at most as many characters, marked where something is left out. */
export function truncate(text: string, characters: number): string {
  if (characters <= 0 || text.length <= characters) return text;
  if (characters < suffix.length) return `${text.slice(0, characters - 1)}…`;
  return text.slice(0, characters - suffix.length) + suffix;
}

/** The first ones of a list, as many as are kept. */
export function firstOf<T>(items: readonly T[], { results }: ResultLimits): readonly T[] {
  return results <= 0 ? items : items.slice(0, results);
}
