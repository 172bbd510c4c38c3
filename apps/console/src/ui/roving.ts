/** The keys that move to the place before and after. */
export interface Directions {
  readonly before: 'ArrowUp' | 'ArrowLeft';
  readonly after: 'ArrowDown' | 'ArrowRight';
}

/** The place to which a key moves the focus in a row of `length`, around its ends; undefined for other keys. */
export function placeAfter(
  key: string,
  current: number,
  length: number,
  { before, after }: Directions,
): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  if (key === after) return (current + 1) % length;
  if (key === before) return (Math.max(current, 0) - 1 + length) % length;
  return undefined;
}
