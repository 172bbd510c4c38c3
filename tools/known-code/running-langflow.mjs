/** @typedef {{ readonly template?: { readonly code?: { readonly value?: unknown } } } | null} ServedComponent */

const TIMEOUT_MILLISECONDS = 120_000;

/**
 * Resolves to code hashes by component type from `/api/v1/all` of a running Langflow; rejects when it lists none.
 * @param {string} url
 * @param {{ readonly key: string, readonly codeHash: (text: string) => string }} options
 */
export async function readServedCode(url, { key, codeHash }) {
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
  /** @type {Record<string, string[]>} */
  const found = {};
  const all = /** @type {Readonly<Record<string, Readonly<Record<string, ServedComponent>> | null>>} */ (
    await answer.json()
  );
  for (const components of Object.values(all))
    for (const [type, component] of Object.entries(components ?? {})) {
      const text = component?.template?.code?.value;
      if (typeof text === 'string' && text !== '') found[type] = [codeHash(text)];
    }
  if (Object.keys(found).length === 0)
    throw new Error(`${address.href} lists no components: is it Langflow?`);
  return found;
}
