/** All pages that the fakes of search engines can find. */
const pages = [
  {
    title: 'Water mills',
    link: 'https://mills.test/water',
    snippet: 'A water mill grinds grain at a river.',
  },
  { title: 'Wind mills', link: 'https://mills.test/wind', snippet: 'A wind mill grinds grain on a hill.' },
  { title: 'Rivers', link: 'https://rivers.test/', snippet: 'The Danube is a river of ten countries.' },
] as const;

export type CorpusPage = (typeof pages)[number];

/** Returns the pages that contain every word of the query, in their order. */
export function findPages(query: string): readonly CorpusPage[] {
  const words = query
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '');
  return pages.filter((page) => {
    const text = `${page.title} ${page.snippet}`.toLowerCase();
    return words.length > 0 && words.every((word) => text.includes(word));
  });
}
