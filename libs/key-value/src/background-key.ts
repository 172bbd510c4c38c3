/** Returns the key of the number of places that are counted elsewhere, such as those of background runs. */
export function backgroundKey(places: string): string {
  return `${places}:background`;
}

/** Returns the key of how many places have been settled. */
export function settledKey(places: string): string {
  return `${places}:settled`;
}
