/** Returns the given vertices and all that are reachable from them over `next`, in the order of discovery. */
export function reachableFrom(
  from: Iterable<number>,
  next: (index: number) => Iterable<number>,
): Set<number> {
  const all = new Set(from);
  // Iteration over a set includes members added while it runs.
  for (const index of all) for (const neighbour of next(index)) all.add(neighbour);
  return all;
}
