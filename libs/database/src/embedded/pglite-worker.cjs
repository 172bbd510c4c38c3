// Runs PGlite (PostgreSQL compiled to WebAssembly) in a thread, so that a long statement never blocks the event loop.
// Plain CommonJS in a separate file: it runs next to the TypeScript sources and next to a bundle alike.
//
// It answers bytes of PostgreSQL's protocol with bytes of that protocol, one message in, one message out:
//   in   { id, bytes }    complete messages up to a Sync, a Query or a start-up packet
//   out  { id, bytes } or { id, failure }
// A start-up packet begins a new session: the state of an earlier session (an open transaction, prepared statements,
// settings) is reset first. { id, close: true } shuts the database down. After a checkpoint between two messages it
// sends { checkpoint: { milliseconds } } or { checkpoint: { failure } }. Loaded in a main thread it only exports its
// functions.
//
// `workerData` is { dataDirectory, durability, image }: without a directory the database is in memory, a copy of the image
// if there is one; with durability 'fsync' PostgreSQL waits for the disk as usual, with 'process' it never does.
const { Blob } = require('node:buffer');
const { fdatasyncSync, fsyncSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { isMainThread, parentPort, threadId, workerData } = require('node:worker_threads');
const { PGlite } = require('@electric-sql/pglite');
const { NodeFS } = require('@electric-sql/pglite/nodefs');

const empty = new Uint8Array(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);
/** ENODEV, as Emscripten numbers errors. */
const NOT_A_MAPPABLE_FILE = 43;

/** The smallest size that PostgreSQL allows: an image contains a segment of the write-ahead log. */
const MEGABYTES_OF_A_SEGMENT_IN_MEMORY = 1;
/** Its files are in memory, too. PostgreSQL writes zeros to all of its buffers when it starts. */
const BUFFERS_IN_MEMORY = ['-c', 'shared_buffers=16MB'];

/** A segment of PostgreSQL's write-ahead log, 16 MiB. */
const LOG_SEGMENT = /^[0-9A-F]{24}$/;
/** 128 MiB: recovery takes seconds, and a checkpoint every few ten thousand runs costs little. */
const SEGMENTS_BETWEEN_CHECKPOINTS = 8;

/**
 * The folder of a database. Counts the segments of the log. With durability 'fsync' it forwards PostgreSQL's fsync
 * calls, which PGlite's own folder drops.
 */
class DatabaseFolder extends NodeFS {
  #durability;
  #segment;
  segmentsSinceCheckpoint = 0;
  /** Why a sync failed: PostgreSQL is then unusable, and recovers from its log at its next start. */
  syncError;

  constructor(dataDirectory, durability) {
    super(dataDirectory);
    this.#durability = durability;
  }

  async init(database, options) {
    const { emscriptenOpts } = await super.init(database, options);
    emscriptenOpts.preRun.push(({ FS, NODEFS }) => {
      const { stream_ops: operations } = NODEFS;
      const { open } = operations;
      operations.open = (stream) => {
        open(stream);
        this.#count(stream.node.name);
      };
      if (this.#durability === 'fsync') passSyncsOn(FS, NODEFS, (error) => (this.syncError = error));
    });
    return { emscriptenOpts };
  }

  #count(name) {
    if (name === this.#segment || !LOG_SEGMENT.test(name)) return;
    this.#segment = name;
    this.segmentsSinceCheckpoint += 1;
  }
}

function passSyncsOn(FS, NODEFS, onError) {
  NODEFS.stream_ops.fsync = ({ nfd, node }) => {
    const isFolder = FS.isDir(node.mode);
    NODEFS.tryFSOperation(() => {
      try {
        if (isFolder) fsyncSync(nfd);
        // PostgreSQL does not need the file times.
        else fdatasyncSync(nfd);
      } catch (error) {
        // Some file systems cannot sync folders; PostgreSQL continues without.
        if (!isFolder || !['EINVAL', 'EBADF'].includes(error.code)) onError(error);
        throw error;
      }
    });
    return 0;
  };
  // Before a sync PostgreSQL maps the file into memory, where Emscripten would read and write the whole file; without
  // mappings it proceeds to the fsync.
  NODEFS.stream_ops.mmap = () => {
    throw new FS.ErrnoError(NOT_A_MAPPABLE_FILE);
  };
}

if (isMainThread) module.exports = { startInMemory, imagePath, storeImage, exchange };
else serve(workerData);

function serve({ dataDirectory, durability, image }) {
  const folder = dataDirectory === undefined ? undefined : new DatabaseFolder(dataDirectory, durability);
  const starting = folder === undefined ? startInMemory(image) : startOnDisk(folder, durability);
  starting.then(
    (database) => {
      parentPort.on('message', async (request) => {
        await answer(database, request, folder);
        if (folder !== undefined && !request.close) await keepLogShort(database, folder);
      });
      parentPort.postMessage({ ready: true });
    },
    (error) => parentPort.postMessage({ failure: String(error?.stack ?? error) }),
  );
}

function startOnDisk(folder, durability) {
  if (durability === 'process') return PGlite.create({ fs: folder });
  // -F turns fsync off. PGlite's fdatasync, the default of wal_sync_method, does not reach the file system.
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    ...['fsync=on', 'wal_sync_method=fsync', 'full_page_writes=on'].flatMap((setting) => ['-c', setting]),
  ];
  return PGlite.create({ fs: folder, startParams });
}

/**
 * Makes a checkpoint when the log has grown. PostgreSQL in a single process makes none until it is closed: its log and
 * the time of recovery would grow without limit.
 */
async function keepLogShort(database, folder) {
  if (folder.segmentsSinceCheckpoint < SEGMENTS_BETWEEN_CHECKPOINTS || database.isInTransaction()) return;
  folder.segmentsSinceCheckpoint = 0;
  const startedAt = performance.now();
  const bytes = await execute(database, simpleQuery('CHECKPOINT'));
  endAfterFailedSync(folder);
  const isFailed = bytes[0] === ERROR_RESPONSE;
  const checkpoint = isFailed
    ? {
        failure: Buffer.from(bytes)
          .toString('utf8')
          .replace(/[^ -~]+/g, ' '),
      }
    : { milliseconds: Math.round(performance.now() - startedAt) };
  parentPort.postMessage({ checkpoint });
}

/**
 * Opens a copy of the image, or an empty database. Creating an empty one takes seconds, so the first one is stored as an
 * image for others (mostly those of tests); when that fails, each is created from scratch.
 */
async function startInMemory(image) {
  if (image !== undefined) return openImage(image);
  try {
    return await openImage(imagePath('empty-database'));
  } catch {
    const database = await PGlite.create({
      initDbStartParams: [`--wal-segsize=${MEGABYTES_OF_A_SEGMENT_IN_MEMORY}`],
    });
    // The largest part of an image; a database in a single process cannot use them.
    for (const template of ['template0', 'template1']) {
      await database.exec(`ALTER DATABASE ${template} IS_TEMPLATE false`);
      await database.exec(`DROP DATABASE ${template}`);
    }
    await storeImage(database, imagePath('empty-database')).catch(() => undefined);
    return database;
  }
}

function openImage(path) {
  return PGlite.create({
    loadDataDir: new Blob([readFileSync(path)], { type: 'application/x-tar' }),
    startParams: [...PGlite.defaultStartParams, ...BUFFERS_IN_MEMORY],
  });
}

/** Returns the path of an image: in the packages' cache, one per version of PGlite. */
function imagePath(name) {
  const folder = join(dirname(require.resolve('@electric-sql/pglite')), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, '..', '..', '.cache', 'millrace', `${name}-${version}.tar`);
}

/** Stores the content of a database, for `image` of databases in memory. */
async function storeImage(database, path) {
  await database.exec('CHECKPOINT');
  const archive = await database.dumpDataDir('none');
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}-${threadId}`;
  writeFileSync(draft, Buffer.from(await archive.arrayBuffer()));
  renameSync(draft, path);
}

async function answer(database, request, folder) {
  try {
    const bytes = request.close ? await close(database) : await exchange(database, request.bytes);
    endAfterFailedSync(folder);
    parentPort.postMessage({ id: request.id, bytes }, [bytes.buffer]);
  } catch (error) {
    parentPort.postMessage({ id: request.id, failure: String(error?.stack ?? error) });
  }
}

/** PostgreSQL panics when a sync fails; PGlite would continue without it, and stop answering. */
function endAfterFailedSync(folder) {
  if (folder?.syncError === undefined) return;
  setImmediate(() => {
    throw folder.syncError;
  });
  throw folder.syncError;
}

async function exchange(database, bytes) {
  const isStartUp = bytes[0] === 0;
  if (!isStartUp) return execute(database, bytes);
  if (database.isInTransaction()) await execute(database, simpleQuery('ROLLBACK'));
  await execute(database, simpleQuery('DISCARD ALL'));
  return execute(database, bytes);
}

/**
 * Reads the answer in pieces, because PGlite parses the rows of a whole answer and keeps them for its lifetime. Runs
 * within one turn of the event loop: no other exchange interleaves.
 */
async function execute(database, bytes) {
  const pieces = [];
  // Copied: a piece is a view into memory that is reused.
  const onRawData = (piece) => pieces.push(piece.slice());
  await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
  return pieces.length === 1 ? pieces[0] : joined(pieces);
}

function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
  }
  return whole;
}

async function close(database) {
  await database.close();
  return new Uint8Array(empty);
}

/** Returns a Query message: type byte, length, text, zero. */
function simpleQuery(text) {
  const message = Buffer.alloc(6 + Buffer.byteLength(text));
  message.write('Q', 0);
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5);
  return new Uint8Array(message);
}
