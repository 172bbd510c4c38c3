import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadWorkspaceCode } from '../workspace/load-workspace-code.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { withCollections } from './astra-collections.mjs';
import { validKey } from './fill-in.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** @typedef {(request: IncomingMessage, response: ServerResponse) => unknown} Handler */

const folder = join('libs', 'components', 'src');
const exported = /^export function create([A-Za-z]+)Handler\b/gm;
const exportedKey = /^export const ([A-Za-z]+(?:Key|Token))\b/m;

/**
 * Loads the fakes of libs/components, each a request handler, named after the function in its fixture:
 * `createAstraHandler` is "astra", `createDuckDuckGoHandler` "duck-duck-go". Resolves to a function that creates them
 * anew, without state.
 * @returns {Promise<() => Map<string, Handler>>}
 */
export async function loadFakes() {
  const sources = readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.fixture.ts'))
    .map((file) => ({ file, text: readFileSync(join(workspaceRoot, folder, file), 'utf8') }));
  const creators = sources.flatMap(({ file, text }) =>
    [...text.matchAll(exported)].map(([, name]) => ({
      name,
      path: `./${file.replace(/\.ts$/, '')}`,
      key: exportedKey.exec(text)?.[1],
    })),
  );
  const code = await loadWorkspaceCode(
    creators
      .flatMap(({ name, path, key }) => [
        `export { create${name}Handler } from '${path}';`,
        ...(key === undefined ? [] : [`export { ${key} as keyOf${name} } from '${path}';`]),
      ])
      .join('\n'),
    folder,
  );
  return () => {
    const fakes = new Map(
      creators.map(({ name }) => [
        kebab(name),
        withKey(code[`keyOf${name}`], code[`create${name}Handler`]({ token: validKey, dimension: null })),
      ]),
    );
    const astra = fakes.get('astra');
    return astra === undefined ? fakes : fakes.set('astra', withCollections(astra));
  };
}

/**
 * Wraps a fake that requires another key: replaces the key that all flows have.
 * @param {string | undefined} key
 * @param {Handler} handler
 * @returns {Handler}
 */
function withKey(key, handler) {
  if (key === undefined) return handler;
  return (request, response) => {
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') request.headers[name] = value.replace(validKey, key);
    handler(request, response);
  };
}

/** @param {string} name */
function kebab(name) {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
