import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { brokenLinks } from './broken-links.mjs';
import { finishSite } from './finish-site.mjs';
import { readOpenApi } from './read-openapi.mjs';
import { OUTPUT } from './site-folders.mjs';
import { stagePages } from './stage-pages.mjs';

// `node tools/site/build-site.mjs`: builds the guide of the documentation and of the interface into dist/apps/guide. Needs the
// built standalone, which has the OpenAPI document.
rmSync(OUTPUT, { recursive: true, force: true });
stagePages(await readOpenApi());
const { build } = await import('vitepress');
await build(join(workspaceRoot, 'tools', 'site'));
const { pages } = await finishSite();
const broken = brokenLinks(OUTPUT);
for (const link of broken) console.error(link);
if (broken.length > 0) process.exitCode = 1;
else console.log(`The guide has ${pages} pages, and each of their links leads to a page, file or anchor.`);
