/** Returns the texts between the tags of each element with this name, in an answer of S3: it has no attributes that matter. */
export function elementsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, text = '']) => text);
}

/** Returns the text of the first element with this name; null when there is none. */
export function textOf(xml: string, name: string): string | null {
  const text = elementsOf(xml, name)[0];
  return text === undefined
    ? null
    : text.replaceAll(/&(lt|gt|quot|apos|amp|#\d+|#x[\da-f]+);/gi, (_, entity: string) => character(entity));
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function character(entity: string): string {
  const named = NAMED[entity];
  if (named !== undefined) return named;
  const code = /^#x/i.test(entity)
    ? Number.parseInt(entity.slice(2), 16)
    : Number.parseInt(entity.slice(1), 10);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
