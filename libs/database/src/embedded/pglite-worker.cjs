// The thread in which PGlite (PostgreSQL compiled to WebAssembly) runs, so that a long statement never holds up the
// event loop. Plain CommonJS and a file of its own: it runs beside the TypeScript sources and beside a bundle alike.
//
// It answers bytes of PostgreSQL's protocol with bytes of PostgreSQL's protocol, one message in, one message out:
//   in   { id, bytes }    complete messages up to a Sync, a Query or a start-up packet
//   out  { id, bytes } or { id, failure }
// A start-up packet begins a new session: what an earlier one left behind (an open transaction, prepared statements,
// settings) is undone first. { id, close: true } ends the database properly.
const { parentPort, workerData } = require('node:worker_threads');
const { PGlite } = require('@electric-sql/pglite');

const empty = new Uint8Array(0);

start().then(
  (database) => {
    parentPort.on('message', (request) => answer(database, request));
    parentPort.postMessage({ ready: true });
  },
  (error) => parentPort.postMessage({ failure: String(error?.stack ?? error) }),
);

function start() {
  return PGlite.create(workerData.dataDirectory === undefined ? {} : { dataDir: workerData.dataDirectory });
}

async function answer(database, request) {
  try {
    const bytes = request.close ? await close(database) : exchange(database, request.bytes);
    parentPort.postMessage({ id: request.id, bytes }, [bytes.buffer]);
  } catch (error) {
    parentPort.postMessage({ id: request.id, failure: String(error?.stack ?? error) });
  }
}

function exchange(database, bytes) {
  const isStartUp = bytes[0] === 0;
  if (!isStartUp) return database.execProtocolRawSync(bytes);
  if (database.isInTransaction()) database.execProtocolRawSync(simpleQuery('ROLLBACK'));
  database.execProtocolRawSync(simpleQuery('DISCARD ALL'));
  // Copied, because this one answer is a view into memory that the next exchange uses again.
  return new Uint8Array(database.execProtocolRawSync(bytes));
}

async function close(database) {
  await database.close();
  return new Uint8Array(empty);
}

/** A Query message: its letter, its length, the text, a zero. */
function simpleQuery(text) {
  const message = Buffer.alloc(6 + Buffer.byteLength(text));
  message.write('Q', 0);
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5);
  return new Uint8Array(message);
}
