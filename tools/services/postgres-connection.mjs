import { createHash } from 'node:crypto';
import { scramClient } from './scram.mjs';
import { SocketReader } from './socket-reader.mjs';

/** As much of a PostgreSQL client as making and dropping a database takes: log in, send SQL, read texts. */
export class PostgresConnection {
  #reader;
  #parameters = new Map();

  constructor(reader) {
    this.#reader = reader;
  }

  /** Logs in: trust, clear text, MD5 or SCRAM-SHA-256. */
  static async connect(url, deadlineMilliseconds = 5000) {
    const { hostname, port, username, password, pathname, searchParams } = new URL(url);
    const user = decodeURIComponent(username) || 'postgres';
    const reader = await SocketReader.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 5432),
      deadlineMilliseconds,
    });
    const connection = new PostgresConnection(reader);
    try {
      if (searchParams.get('sslmode') === 'require') throw new Error('sslmode=require is not supported here');
      const startup = `user\0${user}\0database\0${decodeURIComponent(pathname.slice(1)) || user}\0\0`;
      const head = Buffer.alloc(8);
      head.writeUInt32BE(Buffer.byteLength(startup) + 8, 0);
      head.writeUInt32BE(196608, 4);
      reader.write(Buffer.concat([head, Buffer.from(startup)]));
      await connection.#logIn(user, decodeURIComponent(password));
      return connection;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /** Such as "15.18". */
  get version() {
    return (this.#parameters.get('server_version') ?? 'of unknown version').split(' ')[0];
  }

  /** Resolves to rows of texts. Rejects with the server's message. */
  async query(sql) {
    this.#send('Q', Buffer.from(`${sql}\0`));
    const rows = [];
    let failure;
    for (;;) {
      const { type, body } = await this.#receive();
      if (type === 'D') rows.push(readRow(body));
      if (type === 'E') failure = new Error(errorMessage(body));
      if (type === 'Z') break;
    }
    if (failure !== undefined) throw failure;
    return rows;
  }

  close() {
    this.#send('X', Buffer.alloc(0));
    this.#reader.close();
  }

  async #logIn(user, password) {
    let scram;
    for (;;) {
      const { type, body } = await this.#receive();
      if (type === 'E') throw new Error(errorMessage(body));
      if (type === 'Z') return;
      if (type !== 'R') continue;
      const request = body.readUInt32BE(0);
      const rest = body.subarray(4);
      if (request === 3) this.#send('p', Buffer.from(`${password}\0`));
      else if (request === 5) this.#send('p', Buffer.from(`${md5Answer(user, password, rest)}\0`));
      else if (request === 10) {
        scram = scramClient(password);
        const first = Buffer.from(scram.first);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(first.length);
        this.#send('p', Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), length, first]));
      } else if (request === 11) this.#send('p', Buffer.from(scram.final(rest.toString('utf8'))));
      else if (request !== 0 && request !== 12) throw new Error(`unknown way to log in: ${request}`);
    }
  }

  #send(type, body) {
    const head = Buffer.alloc(5);
    head.write(type, 'latin1');
    head.writeUInt32BE(body.length + 4, 1);
    this.#reader.write(Buffer.concat([head, body]));
  }

  async #receive() {
    const head = await this.#reader.read(5);
    const type = String.fromCharCode(head[0]);
    const length = head.readUInt32BE(1);
    if (length < 4 || length > 1 << 24) throw new Error('the server does not speak the PostgreSQL protocol');
    const body = await this.#reader.read(length - 4);
    if (type === 'S') {
      const [name, value] = body.toString('utf8').split('\0');
      this.#parameters.set(name, value);
    }
    return { type, body };
  }
}

function md5Answer(user, password, salt) {
  const md5 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest('hex');
  return `md5${md5(md5(password, user), salt)}`;
}

function readRow(body) {
  const row = [];
  let offset = 2;
  for (let left = body.readUInt16BE(0); left > 0; left -= 1) {
    const length = body.readInt32BE(offset);
    offset += 4;
    row.push(length < 0 ? null : body.toString('utf8', offset, offset + length));
    offset += Math.max(0, length);
  }
  return row;
}

/** Fields are a letter and a text each; M is the message. */
function errorMessage(body) {
  const fields = body.toString('utf8').split('\0');
  return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'the server refused';
}
