import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { linkedPage, sitePages } from './pages.mjs';

/** @typedef {import('vitepress').MarkdownRenderer} MarkdownIt */
/** @typedef {ReturnType<MarkdownIt['parse']>[number]} Token */

/** Where the drawn diagrams are, below the root of the guide. */
export const DIAGRAMS = 'diagrams';
const ERRORS = 'use/errors.md';
const pages = sitePages();
const sources = new Map([...pages].map(([source, page]) => [page, source]));

/**
 * Returns the name of the file with a drawn diagram. A change of the source is another name.
 * @param {string} source
 */
export function diagramFile(source) {
  return `${createHash('sha256').update(source.trim()).digest('hex').slice(0, 16)}.svg`;
}

/**
 * Forms the anchor of a heading, as code hosts do.
 * @param {string} heading
 */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/**
 * Adds what the guide needs beside VitePress: links between files become links between pages, diagrams images, and each error code
 * an address. No element has a style of its own, which the Content-Security-Policy would refuse.
 * @param {MarkdownIt} md
 */
export function extendMarkdown(md) {
  md.core.ruler.push('guide', ({ tokens, env }) => {
    const page = env.relativePath;
    for (const token of tokens) {
      if (token.children !== null) token.children = token.children.filter((child) => keep(child, page));
      const style = token.attrGet('style');
      if (style !== null) {
        token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
        token.attrJoin('class', style.replaceAll(/\W+/g, '-'));
      }
    }
    if (page === ERRORS) addressCodes(tokens);
  });
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const [options, env, self] = rest;
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return diagram(md, tokens, index, env.relativePath);
    return fence?.(tokens, index, options, env, self) ?? '';
  };
  const render = md.render.bind(md);
  // Vue reads double braces as an expression.
  md.render = (text, env) => render(text, env).replaceAll('{{', '&#123;&#123;');
}

/** Whether the link that is open leads to a file that is no page: its text stays. */
let isPlain = false;

/**
 * @param {Token} token
 * @param {string} page
 */
function keep(token, page) {
  const source = sources.get(page);
  if (token.type === 'link_close') return !isPlain;
  if (token.type !== 'link_open' || source === undefined) return true;
  isPlain = false;
  const href = token.attrGet('href') ?? '';
  if (/^(?:#|[a-z][a-z\d+.-]*:)/i.test(href)) return true;
  const target = linkedPage(source, href, pages);
  isPlain = target === null;
  if (target !== null) token.attrSet('href', target);
  return target !== null;
}

/**
 * Gives each row of the table of codes the code as its anchor. A code that is too long for its column breaks between words.
 * @param {readonly Token[]} tokens
 */
function addressCodes(tokens) {
  for (const [index, token] of tokens.entries()) {
    const [only, ...others] = tokens[index + 2]?.children ?? [];
    const isCode = only?.type === 'code_inline' && others.length === 0;
    if (token.type !== 'tr_open' || tokens[index + 1]?.type !== 'td_open' || !isCode) continue;
    token.attrSet('id', only.content);
    only.type = 'html_inline';
    only.content = `<code>${only.content.replaceAll('_', '_<wbr>')}</code>`;
  }
}

/**
 * Makes a section of each row with an error code, so that the search finds the row and not only the page.
 * @param {string} html
 */
export function codesAsSections(html) {
  return html.replaceAll(/<tr id="(\w+)">/g, '<h2>$1 <a href="#$1">#</a></h2>');
}

/**
 * @param {MarkdownIt} md
 * @param {readonly Token[]} tokens
 * @param {number} index
 * @param {string} page
 */
function diagram(md, tokens, index, page) {
  const heading = tokens.slice(0, index).findLastIndex(({ type }) => type === 'heading_open');
  const title = tokens[heading + 1]?.content ?? '';
  const file = posix.join(DIAGRAMS, diagramFile(tokens[index]?.content ?? ''));
  const address = posix.relative(posix.dirname(page), file);
  const text = md.utils.escapeHtml(`Diagram: ${title}`);
  return `<p class="diagram" tabindex="0"><img src="${address.startsWith('.') ? address : `./${address}`}" alt="${text}"></p>\n`;
}
