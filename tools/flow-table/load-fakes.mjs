import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadWorkspaceCode } from '../load-workspace-code.mjs';
import { workspaceRoot } from '../workspace-root.mjs';
import { goodKey } from './fill-in.mjs';

const folder = join('libs', 'components', 'src');

/**
 * The fakes of libs/components by vendor, each a handler of requests; "site" is a web site for every other address. A
 * fixture `astra-server.fixture.ts` exports `createAstraHandler`.
 */
export async function loadFakes() {
  const files = readdirSync(join(workspaceRoot, folder), { recursive: true }).filter((file) =>
    /-server\.fixture\.ts$/.test(file),
  );
  const vendors = files.map((file) => ({ file, vendor: basename(file).replace('-server.fixture.ts', '') }));
  const code = await loadWorkspaceCode(
    vendors
      .map(({ file }, index) => `export * as fake${index} from './${file.replace(/\.ts$/, '')}';`)
      .join('\n'),
    folder,
  );
  const fakes = new Map();
  for (const [index, { vendor }] of vendors.entries()) {
    const create = Object.entries(code[`fake${index}`]).find(([name]) => /^create.*Handler$/.test(name));
    if (create !== undefined) fakes.set(vendor, create[1]({ token: goodKey }));
  }
  return fakes;
}
