import { messageOf } from '../workspace/error-fields.mjs';
import { withPostgres } from './server-clients.mjs';

/** Creating and dropping a database copies and deletes files. */
const DEADLINE_MILLISECONDS = 30_000;

/**
 * Creates a database for one test run on the server of this URL. Resolves to { url, drop }.
 * @param {string} serverUrl
 * @param {string} name
 */
export async function createTestDatabase(serverUrl, name) {
  await execute(serverUrl, `CREATE DATABASE "${name}" ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

/**
 * Creates the database unless it exists. Resolves to its URL.
 * @param {string} serverUrl
 * @param {string} name
 */
export async function ensureDatabase(serverUrl, name) {
  await execute(serverUrl, `CREATE DATABASE "${name}" ENCODING 'UTF8' TEMPLATE template0`).catch((error) => {
    if (!/already exists/.test(messageOf(error))) throw error;
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * @param {string} url
 * @param {string} sql
 */
async function execute(url, sql) {
  await withPostgres(url, (client) => client.query(sql), DEADLINE_MILLISECONDS);
}
