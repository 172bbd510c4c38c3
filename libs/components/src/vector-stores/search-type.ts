/** How a search chooses among what is near. */
export type SearchType = 'similarity' | 'threshold' | 'mmr';

/** The search type that a setting of any age names; similarity for everything else. */
export function searchTypeOf(setting: string): SearchType {
  const name = setting.toLowerCase();
  if (name.startsWith('mmr')) return 'mmr';
  return name.includes('threshold') ? 'threshold' : 'similarity';
}
