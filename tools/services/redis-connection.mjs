import { SocketReader } from './socket-reader.mjs';

/** As much of a Redis client as asking for the version and deleting keys takes. */
export class RedisConnection {
  #reader;

  constructor(reader) {
    this.#reader = reader;
  }

  /** Connects, authenticates when the URL says how, and pings. */
  static async connect(url) {
    const { protocol, hostname, port, username, password, pathname } = new URL(url);
    const reader = await SocketReader.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 6379),
      secure: protocol === 'rediss:',
    });
    const connection = new RedisConnection(reader);
    try {
      if (password !== '') {
        const user = username === '' ? [] : [decodeURIComponent(username)];
        await connection.command('AUTH', ...user, decodeURIComponent(password));
      }
      const database = pathname.slice(1);
      if (database !== '') await connection.command('SELECT', database);
      const pong = await connection.command('PING');
      if (pong !== 'PONG') throw new Error(`answered ${pong} to PING`);
      return connection;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  async command(...words) {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    this.#reader.write(`*${words.length}\r\n${parts.join('')}`);
    return this.#answer();
  }

  async version() {
    const text = await this.command('INFO', 'server');
    return /^(?:redis|valkey)_version:(\S+)/m.exec(text)?.[1] ?? 'of unknown version';
  }

  /** Deletes every key that begins with the prefix and resolves to how many there were. */
  async deleteKeys(prefix) {
    let cursor = '0';
    let deleted = 0;
    do {
      const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
      const [next, keys] = await this.command('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000');
      if (keys.length > 0) deleted += await this.command('DEL', ...keys);
      cursor = next;
    } while (cursor !== '0');
    return deleted;
  }

  close() {
    this.#reader.close();
  }

  async #answer() {
    const line = await this.#reader.readLine();
    const rest = line.slice(1);
    if (line[0] === '+') return rest;
    if (line[0] === ':') return Number(rest);
    if (line[0] === '-') throw new Error(rest);
    const count = Number(rest);
    if (line[0] === '$') {
      if (count < 0) return null;
      return (await this.#reader.read(count + 2)).toString('utf8', 0, count);
    }
    if (line[0] !== '*') throw new Error('the server does not speak the Redis protocol');
    const items = [];
    for (let index = 0; index < count; index += 1) items.push(await this.#answer());
    return items;
  }
}
