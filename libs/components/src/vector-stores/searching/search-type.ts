/** How a search selects among the nearest texts. */
export type SearchType = 'similarity' | 'threshold' | 'mmr';

/** Returns the search type for a setting of any version; similarity for unknown ones. */
export function searchTypeOf(setting: string): SearchType {
  const name = setting.toLowerCase();
  if (name.startsWith('mmr')) return 'mmr';
  return name.includes('threshold') ? 'threshold' : 'similarity';
}
