import { addMembers } from './members-of-components.mjs';

/** @typedef {{ readonly template?: { readonly code?: { readonly value?: unknown } } } | null} ServedComponent */

const TIMEOUT_MILLISECONDS = 120_000;

/**
 * Resolves to code hashes by component type from `/api/v1/all` of a running Langflow; rejects when it lists none.
 * @param {string} url
 * @param {{ readonly key: string, readonly codeHash: (text: string) => string }} options
 */
export async function readServedCode(url, { key, codeHash }) {
  /** @type {Record<string, string[]>} */
  const found = {};
  for (const [type, component] of await readServedComponents(url, key)) {
    const text = component?.template?.code?.value;
    if (typeof text === 'string' && text !== '') found[type] = [codeHash(text)];
  }
  return found;
}

/**
 * Resolves to the names of the members of the components of a running Langflow, by their place.
 * @param {string} url
 * @param {{ readonly key: string }} options
 */
export async function readServedMembers(url, { key }) {
  /** @type {import('./members-of-components.mjs').Members} */
  const members = {};
  for (const [, component] of await readServedComponents(url, key)) addMembers(members, component);
  return members;
}

/**
 * @param {string} url
 * @param {string} key
 */
async function readServedComponents(url, key) {
  const address = new URL('/api/v1/all?force_refresh=false', url);
  const answer = await fetch(address, {
    headers: key === '' ? {} : { 'x-api-key': key },
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  }).catch((error) => {
    throw new Error(`${address.origin} cannot be reached: ${error.cause?.message ?? error.message}`, {
      cause: error,
    });
  });
  if (!answer.ok) {
    const hint = [401, 403].includes(answer.status) ? '; give an API key with --key' : '';
    throw new Error(`${address.href} answered ${answer.status}${hint}`);
  }
  const all = /** @type {Readonly<Record<string, Readonly<Record<string, ServedComponent>> | null>>} */ (
    await answer.json()
  );
  const components = Object.values(all).flatMap((group) => Object.entries(group ?? {}));
  if (components.length === 0) throw new Error(`${address.href} lists no components: is it Langflow?`);
  return components;
}
