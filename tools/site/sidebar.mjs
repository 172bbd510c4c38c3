import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { linkedPage, sitePages, titleOf } from './pages.mjs';

const INDEX = 'docs/README.md';
const LINK = /\]\(([^():]+)\)/g;

/**
 * Returns the sidebars. That of most pages has the sections of docs/README.md with the pages that they name; folders of which it
 * names the index alone have sidebars of their own, which keeps pages small.
 * @param {readonly { readonly text: string, readonly link: string }[]} operations pages of the API reference
 */
export function sidebar(operations) {
  const pages = sitePages();
  const sources = new Map([...pages].map(([source, page]) => [`/${page}`, source]));
  const [, ...sections] = readFileSync(join(workspaceRoot, INDEX), 'utf8').split(/^## /m);
  const groups = sections.map((section) => {
    const links = [...section.matchAll(LINK)].map(([, link = '']) => linkedPage(INDEX, link, pages));
    const found = [...new Set(links.map((link) => link?.replace(/#.*/, '')))];
    return {
      text: section.slice(0, section.indexOf('\n')),
      items: found
        .filter((page) => page !== undefined)
        .map((page) => ({ text: titleOf(sources.get(page) ?? page), link: page })),
    };
  });
  const projects = folder('Projects', 'apps/', 'libs/', 'tests/');
  return {
    '/api/': [{ text: 'API reference', items: operations }],
    '/components/': folder('Components', 'docs/components/'),
    '/decisions/': folder('Decisions', 'docs/decisions/'),
    '/apps/': projects,
    '/libs/': projects,
    '/tests/': projects,
    '/': groups,
  };

  /**
   * @param {string} text
   * @param {...string} starts
   */
  function folder(text, ...starts) {
    const named = [...pages].filter(([source]) => starts.some((start) => source.startsWith(start)));
    return [{ text, items: named.map(([source, page]) => ({ text: titleOf(source), link: `/${page}` })) }];
  }
}
