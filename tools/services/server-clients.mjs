// Short-lived connections to the servers, for their versions, test databases and clean-up. Drivers are loaded when they are
// used: the commands that import this file install the packages first.

/** @import { Socket } from 'node:net' */

const DEADLINE_MILLISECONDS = 5000;

/**
 * Resolves to what `work` resolves to for a connected `pg` client. Each step has `deadlineMilliseconds`.
 * @template T
 * @param {string} url
 * @param {(client: import('pg').Client) => Promise<T>} work
 * @param {number} [deadlineMilliseconds]
 */
export async function withPostgres(url, work, deadlineMilliseconds = DEADLINE_MILLISECONDS) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: deadlineMilliseconds,
    query_timeout: deadlineMilliseconds,
  });
  // A broken connection rejects the query in progress, too.
  client.on('error', ignore);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(ignore);
  }
}

/**
 * Resolves to a version such as "15.18".
 * @param {string} url
 * @returns {Promise<string>}
 */
export function postgresVersion(url) {
  return withPostgres(url, async (client) => {
    const { rows } = await client.query('SHOW server_version');
    return rows[0].server_version.split(' ')[0];
  });
}

/**
 * Resolves to what `work` resolves to for a connected `ioredis` client.
 * @template T
 * @param {string} url
 * @param {(client: import('ioredis').Redis) => Promise<T>} work
 */
export async function withRedis(url, work) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: DEADLINE_MILLISECONDS,
    commandTimeout: DEADLINE_MILLISECONDS,
  });
  /** @type {Error | undefined} */
  let reason;
  client.on('error', (error) => (reason = error));
  try {
    await client.connect().catch((error) => {
      throw reason ?? error;
    });
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/**
 * Resolves to a version such as "7.0.15", also of Valkey.
 * @param {string} url
 */
export function redisVersion(url) {
  return withRedis(url, async (client) => {
    const text = await client.info('server');
    return /^(?:redis|valkey)_version:(\S+)/m.exec(text)?.[1] ?? 'of unknown version';
  });
}

/**
 * Deletes every key that begins with the prefix. Resolves to their number.
 * @param {string} url
 * @param {string} prefix
 */
export function deleteKeys(url, prefix) {
  return withRedis(url, async (client) => {
    const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
    let deleted = 0;
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
      if (keys.length > 0) deleted += await client.del(...keys);
      cursor = next;
    } while (cursor !== '0');
    return deleted;
  });
}

/**
 * Logs in at the broker and opens its virtual host. Resolves to a version such as "3.10.8".
 * @param {string} url
 * @returns {Promise<string>}
 */
export async function rabbitmqVersion(url) {
  const { connect } = await import('amqplib');
  const connection = await connect(url, { timeout: DEADLINE_MILLISECONDS });
  connection.on('error', ignore);
  const { version } = connection.connection.serverProperties;
  const closed = connection.close().catch(ignore);
  // The types of amqplib omit the socket.
  const { stream } = /** @type {{ stream: Socket }} */ (/** @type {unknown} */ (connection.connection));
  const timer = setTimeout(() => stream.destroy(), DEADLINE_MILLISECONDS);
  await Promise.race([closed, new Promise((resolve) => connection.once('close', resolve))]);
  clearTimeout(timer);
  return version;
}

/**
 * Resolves to the version of a MySQL or MariaDB server, such as "10.11.18".
 * @param {string} url
 * @returns {Promise<string>}
 */
export async function mariadbVersion(url) {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: url, connectTimeout: DEADLINE_MILLISECONDS });
  try {
    const [rows] = await connection.query({
      sql: 'SELECT VERSION() AS version',
      timeout: DEADLINE_MILLISECONDS,
    });
    const [{ version }] = /** @type {{ version: string }[]} */ (rows);
    return version.replace(/-.*$/s, '');
  } finally {
    connection.destroy();
  }
}

const ignore = () => undefined;
