import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ORIGIN = 'http://guide';
const BASE = '/guide/';
const ADDRESS = /\s(?:href|src)="([^"]*)"/g;
const ANCHOR = /\sid="([^"]*)"/g;

/**
 * Returns each link of the built pages that leads to no page, file or anchor, as `page: link`. Links to other hosts are not
 * followed.
 * @param {string} folder
 */
export function brokenLinks(folder) {
  const texts = new Map(
    globSync('**/*.html', { cwd: folder })
      .sort()
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]),
  );
  const anchors = new Map(
    [...texts].map(([name, text]) => [
      name,
      new Set([...text.matchAll(ANCHOR)].map(([, id]) => unescape(id))),
    ]),
  );
  return [...texts].flatMap(([page, text]) =>
    [...new Set([...text.matchAll(ADDRESS)].map(([, address]) => unescape(address)))]
      .filter((address) => isBroken(page, address))
      .map((address) => `${page}: ${address}`),
  );

  /**
   * @param {string} page
   * @param {string} address
   */
  function isBroken(page, address) {
    const { origin, pathname, hash } = new URL(address, `${ORIGIN}${BASE}${page}`);
    if (origin !== ORIGIN) return false;
    if (!pathname.startsWith(BASE)) return true;
    const path = decodeURIComponent(pathname.slice(BASE.length));
    const name = [path, `${path}.html`, join(path, 'index.html')].find(
      (candidate) => existsSync(join(folder, candidate)) && statSync(join(folder, candidate)).isFile(),
    );
    if (name === undefined) return true;
    return hash !== '' && anchors.get(name)?.has(decodeURIComponent(hash.slice(1))) !== true;
  }
}

/** @param {string | undefined} text */
function unescape(text = '') {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
