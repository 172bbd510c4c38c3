import { SocketReader } from './socket-reader.mjs';

const CONNECTION = 10;
const [START, START_OK, TUNE, TUNE_OK, OPEN, OPEN_OK, CLOSE] = [10, 11, 30, 31, 40, 41, 50];

/** One capability: the broker then says that it refused the credentials, instead of just hanging up. */
const clientProperties = table(
  'capabilities',
  'F',
  table('authentication_failure_close', 't', Buffer.from([1])),
);

/**
 * Logs in to a broker (AMQP 0-9-1: start, tune, open) and leaves again; resolves to the version it names. Rejects when
 * nobody answers, the answer is not AMQP, or the credentials or the virtual host are refused.
 */
export async function rabbitmqHandshake(url) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const secure = protocol === 'amqps:';
  const reader = await SocketReader.connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 5671 : 5672)),
    secure,
  });
  const user = decodeURIComponent(username) || 'guest';
  const secret = decodeURIComponent(password) || 'guest';
  const virtualHost = pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : '/';
  try {
    reader.write(Buffer.from('AMQP\0\0\x09\x01', 'latin1'));
    const version = versionIn(await readMethod(reader, START));
    const login = longText(`\0${user}\0${secret}`);
    sendMethod(
      reader,
      START_OK,
      Buffer.concat([clientProperties, shortText('PLAIN'), login, shortText('en_US')]),
    );
    const tune = await readMethod(reader, TUNE);
    sendMethod(reader, TUNE_OK, tune);
    sendMethod(reader, OPEN, Buffer.concat([shortText(virtualHost), shortText(''), Buffer.from([0])]));
    await readMethod(reader, OPEN_OK);
    sendMethod(reader, CLOSE, Buffer.concat([Buffer.from([0, 200]), shortText('bye'), Buffer.alloc(4)]));
    return version;
  } finally {
    setTimeout(() => reader.close(), 50).unref();
  }
}

async function readMethod(reader, expected) {
  for (;;) {
    const header = await reader.read(7);
    if (header.toString('latin1', 0, 4) === 'AMQP')
      throw new Error('the broker speaks another version of AMQP');
    const payload = await reader.read(header.readUInt32BE(3));
    if ((await reader.read(1))[0] !== 0xce) throw new Error('the server does not speak AMQP');
    if (header[0] === 8) continue;
    const [group, method] = [payload.readUInt16BE(0), payload.readUInt16BE(2)];
    if (group === CONNECTION && method === expected) return payload.subarray(4);
    if (group === CONNECTION && method === CLOSE)
      throw new Error(`the broker refused: ${payload.toString('utf8', 7, 7 + (payload[6] ?? 0))}`);
    throw new Error(`the broker answered with method ${group}.${method}`);
  }
}

function sendMethod(reader, method, fields) {
  const header = Buffer.alloc(11);
  header[0] = 1;
  header.writeUInt32BE(fields.length + 4, 3);
  header.writeUInt16BE(CONNECTION, 7);
  header.writeUInt16BE(method, 9);
  reader.write(Buffer.concat([header, fields, Buffer.from([0xce])]));
}

/** Server properties are a table of typed fields; only one text of it matters here. */
function versionIn(start) {
  const name = Buffer.from('\x07versionS', 'latin1');
  const offset = start.indexOf(name);
  if (offset < 0) return 'of unknown version';
  const from = offset + name.length;
  return start.toString('utf8', from + 4, from + 4 + start.readUInt32BE(from));
}

/** A field table with one entry. */
function table(name, type, value) {
  return withLength(Buffer.concat([shortText(name), Buffer.from(type), value]));
}

function shortText(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function longText(text) {
  return withLength(Buffer.from(text));
}

function withLength(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
