/** Returns the key of what background runs have of places. */
export function backgroundKey(places: string): string {
  return `${places}:background`;
}
