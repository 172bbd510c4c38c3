import pg from 'pg';

const DATABASE = 'millrace';

/**
 * Calls `work` with a new connection to the database of the services, and closes it afterwards.
 * @template T
 * @param {{ readonly url: string }} server
 * @param {(client: pg.Client) => Promise<T>} work
 */
export async function withAdministrator(server, work) {
  const url = new URL(server.url);
  url.pathname = `/${DATABASE}`;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Runs a statement. Resolves to the SQLSTATE with which the server refuses it, or `none` when it succeeds.
 * @param {pg.Client} client
 * @param {string} text
 * @returns {Promise<string>}
 */
export function refusalOf(client, text) {
  return client.query(text).then(
    () => 'none',
    ({ code }) => code,
  );
}
