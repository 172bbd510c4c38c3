/** @import { Account } from './flows.mjs' */

/**
 * Creates a user with a new key; resolves to { url, id, headers }, as `upload` needs them.
 * @param {Account} system
 * @param {string} username
 * @returns {Promise<Account & { readonly id: string }>}
 */
export async function addUser(system, username) {
  const response = await fetch(`${system.url}/api/v1/users`, {
    method: 'POST',
    headers: { ...system.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ username }),
  });
  if (response.status !== 201)
    throw new Error(`creating a user returned ${response.status}: ${await response.text()}`);
  const { id, api_key: key } = /** @type {{ id: string, api_key: string }} */ (await response.json());
  return { url: system.url, id, headers: { 'x-api-key': key } };
}
