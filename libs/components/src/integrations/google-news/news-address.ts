export interface NewsQuery {
  readonly query: string;
  /** Language, such as en-US. */
  readonly hl: string;
  /** Country, such as US. */
  readonly gl: string;
  readonly topic: string;
  readonly location: string;
}

/** Returns the address of Google's feed for a topic, else for a place, else for a search; null when none is given. */
export function newsAddress({ query, hl, gl, topic, location }: NewsQuery): URL | null {
  const path = pathOf(topic, location, query);
  if (path === null) return null;
  const language = hl || 'en-US';
  const country = gl || 'US';
  const url = new URL(`https://news.google.com/rss/${path}`);
  if (path === 'search') url.searchParams.set('q', query);
  url.searchParams.set('hl', language);
  url.searchParams.set('gl', country);
  url.searchParams.set('ceid', `${country}:${language.split('-')[0] ?? ''}`);
  return url;
}

function pathOf(topic: string, location: string, query: string): string | null {
  if (topic !== '') return `headlines/section/topic/${encodeURIComponent(topic.toUpperCase())}`;
  if (location !== '') return `headlines/section/geo/${encodeURIComponent(location)}`;
  return query === '' ? null : 'search';
}
