import { PostgresConnection } from './postgres-connection.mjs';

/** Makes a database for one run on the server of this URL. Resolves to { url, drop }. */
export async function createTestDatabase(serverUrl, name) {
  await execute(serverUrl, `CREATE DATABASE "${name}"`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

/** Makes the database unless it is there. Resolves to its URL. */
export async function ensureDatabase(serverUrl, name) {
  await execute(serverUrl, `CREATE DATABASE "${name}"`).catch((error) => {
    if (!/already exists/.test(error.message)) throw error;
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(url, sql) {
  const connection = await PostgresConnection.connect(url, 30_000);
  try {
    await connection.query(sql);
  } finally {
    connection.close();
  }
}
