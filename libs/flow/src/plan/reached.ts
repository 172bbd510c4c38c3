/** Some vertices and all that follow from them over `next`, in the order they are reached. */
export function reached(from: Iterable<number>, next: (index: number) => Iterable<number>): Set<number> {
  const all = new Set(from);
  // A set's iteration goes on to members added while it runs.
  for (const index of all) for (const neighbour of next(index)) all.add(neighbour);
  return all;
}
