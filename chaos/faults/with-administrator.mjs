import pg from 'pg';

const DATABASE = 'millrace';

/** Does something over a connection of its own to the database of the services, whatever state others are in. */
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

/** The SQLSTATE with which the server refuses a statement; `none` when it does not. */
export function refusalOf(client, text) {
  return client.query(text).then(
    () => 'none',
    ({ code }) => code,
  );
}
