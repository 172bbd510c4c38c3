import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { workspaceRoot } from '../../workspace/workspace-root.mjs';
import { codeStyles, stylesToClasses } from '../code-styles.mjs';
import { anchorOf, codesAsSections, extendMarkdown } from '../markdown.mjs';
import { sidebar } from '../sidebar.mjs';
import { CODE_STYLES, OPERATIONS, OUTPUT, STAGE } from '../site-folders.mjs';

const operations = JSON.parse(readFileSync(OPERATIONS, 'utf8'));

export default defineConfig({
  title: 'Millrace',
  description: 'Runs flows exported from Langflow at scale.',
  lang: 'en',
  base: '/guide/',
  srcDir: STAGE,
  outDir: OUTPUT,
  cacheDir: join(workspaceRoot, 'node_modules', '.cache', 'site'),
  cleanUrls: true,
  // The search index has the pages in the order of their completion: one at a time, the same files each time.
  buildConcurrency: 1,
  // A script of its own instead of one in each page.
  metaChunk: true,
  // Without this, a change of the appearance adds a style to the page, which the Content-Security-Policy refuses.
  appearance: /** @type {import('vitepress').UserConfig['appearance']} */ ({ disableTransition: false }),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/guide/mark.svg' }]],
  router: { prefetchLinks: false },
  vite: {
    publicDir: join(STAGE, 'public'),
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4_000 },
    logLevel: 'warn',
  },
  // VitePress loads this file as a module of its own: the styles are not known outside of it.
  buildEnd: () => writeFileSync(CODE_STYLES, codeStyles()),
  markdown: {
    html: false,
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    image: { lazyLoading: true },
    // Those of VitePress have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    codeTransformers: [stylesToClasses],
    config: extendMarkdown,
  },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => codesAsSections(md.render(text, env)) },
    },
    outline: { level: [2, 3] },
    sidebar: sidebar(operations),
    nav: [
      { text: 'First hour', link: '/use/first-hour' },
      { text: 'Components', link: '/components/' },
      { text: 'Configuration', link: '/operate/configuration' },
      { text: 'Errors', link: '/use/errors' },
      { text: 'API reference', link: '/api/' },
    ],
    externalLinkIcon: true,
    docFooter: { prev: false, next: false },
  },
});
