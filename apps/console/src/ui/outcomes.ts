/** How runs end: the state, its title, and the custom property of its colour. */
export const OUTCOMES = [
  ['succeeded', 'Succeeded', '--good'],
  ['failed', 'Failed', '--bad'],
  ['timed_out', 'Timed out', '--warn'],
  ['dead', 'Dead', '--dead'],
  ['cancelled', 'Cancelled', '--line-strong'],
] as const;
