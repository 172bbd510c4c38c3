const suffix = '... [truncated]';

/** Limits on the results; 0 means no limit. */
export interface ResultLimits {
  readonly results: number;
  readonly characters: number;
}

/** Truncates a text to a number of characters and marks the omission. */
export function truncate(text: string, characters: number): string {
  if (characters <= 0 || text.length <= characters) return text;
  if (characters < suffix.length) return `${text.slice(0, characters - 1)}…`;
  return text.slice(0, characters - suffix.length) + suffix;
}

/** Returns the first items of a list, up to the limit. */
export function firstOf<T>(items: readonly T[], { results }: ResultLimits): readonly T[] {
  return results <= 0 ? items : items.slice(0, results);
}
