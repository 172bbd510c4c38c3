// Loaded with `node --require` into a process and its threads. Records each change of the files below
// RECORD_WRITES_BELOW, and each fsync, in the order of the calls. Each thread writes its own file in RECORD_WRITES_TO. A
// record is the length of its header (4 bytes), the header (JSON) and the written bytes, if any. Calls that change files
// and cannot be recorded throw an error, so that no recording is incomplete.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { dirname, join, resolve, sep } = require('node:path');
const { threadId } = require('node:worker_threads');

const below = process.env.RECORD_WRITES_BELOW;
const original = { ...fs };
const { O_CREAT, O_TRUNC } = fs.constants;
/** Open files below the folder by descriptor: their inode, and the position of the next write without a position. */
const open = new Map();
const output = original.openSync(join(process.env.RECORD_WRITES_TO, `${process.pid}-${threadId}`), 'a');

Object.assign(fs, {
  openSync(path, flags = 'r', mode = 0o666) {
    const isInside = inside(path);
    const isNew = isInside && !original.existsSync(path);
    const descriptor = original.openSync(path, flags, mode);
    if (!isInside) return descriptor;
    const { ino } = original.fstatSync(descriptor);
    if (isNew && creates(flags)) record({ change: 'make', kind: 'file', path: resolve(path), ino });
    else if (truncates(flags)) record({ change: 'truncate', ino, size: 0 });
    open.set(descriptor, { ino, position: 0 });
    return descriptor;
  },
  closeSync(descriptor) {
    open.delete(descriptor);
    original.closeSync(descriptor);
  },
  writeSync(descriptor, content, ...place) {
    const file = open.get(descriptor);
    if (file === undefined) return original.writeSync(descriptor, content, ...place);
    if (typeof content === 'string' || typeof place[0] === 'object')
      throw new Error('this kind of write cannot be recorded');
    const [offset = 0, length = content.byteLength - offset, given] = place;
    const position = Number(given ?? file.position);
    const written = original.writeSync(descriptor, content, offset, length, position);
    file.position = position + written;
    const bytes = Buffer.from(content.buffer, content.byteOffset + offset, written);
    record({ change: 'write', ino: file.ino, position }, bytes);
    return written;
  },
  ftruncateSync(descriptor, size = 0) {
    original.ftruncateSync(descriptor, size);
    const file = open.get(descriptor);
    if (file !== undefined) record({ change: 'truncate', ino: file.ino, size });
  },
  truncateSync(path, size = 0) {
    original.truncateSync(path, size);
    if (inside(path)) record({ change: 'truncate', ino: original.statSync(path).ino, size });
  },
  fsyncSync: synced('fsyncSync'),
  fdatasyncSync: synced('fdatasyncSync'),
  writeFileSync(file, content, options = {}) {
    if (!inside(file)) return original.writeFileSync(file, content, options);
    const {
      encoding = 'utf8',
      flag = 'w',
      mode,
    } = typeof options === 'string' ? { encoding: options } : options;
    const bytes = typeof content === 'string' ? Buffer.from(content, encoding ?? 'utf8') : content;
    const descriptor = fs.openSync(file, flag, mode);
    try {
      if (bytes.byteLength > 0) fs.writeSync(descriptor, bytes, 0, bytes.byteLength, 0);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  mkdirSync(path, options) {
    if (!inside(path)) return original.mkdirSync(path, options);
    if (options?.recursive) {
      if (original.existsSync(path)) return undefined;
      fs.mkdirSync(dirname(resolve(path)), options);
    }
    original.mkdirSync(path, {
      ...(typeof options === 'object' ? options : { mode: options }),
      recursive: false,
    });
    record({ change: 'make', kind: 'folder', path: resolve(path), ino: original.statSync(path).ino });
    return path;
  },
  renameSync(from, to) {
    original.renameSync(from, to);
    if (inside(from) || inside(to)) record({ change: 'rename', from: resolve(from), to: resolve(to) });
  },
  linkSync(from, to) {
    original.linkSync(from, to);
    if (inside(from) || inside(to)) record({ change: 'link', from: resolve(from), to: resolve(to) });
  },
  unlinkSync: removed('unlinkSync'),
  rmdirSync: removed('rmdirSync'),
  rmSync(path, options = {}) {
    if (!inside(path)) return original.rmSync(path, options);
    if (options.force && !original.existsSync(path)) return undefined;
    if (!original.lstatSync(path).isDirectory()) return fs.unlinkSync(path);
    if (!options.recursive) return original.rmSync(path, options);
    for (const name of original.readdirSync(path)) fs.rmSync(join(path, name), options);
    return fs.rmdirSync(path);
  },
});

const notRecorded =
  'appendFile copyFile cp link mkdir mkdtemp rename rm rmdir symlink truncate unlink writeFile'.split(' ');
for (const name of notRecorded) {
  refuse(fs, name);
  refuse(fs.promises, name);
}
for (const name of ['appendFile', 'copyFile', 'cp', 'mkdtemp', 'symlink']) refuse(fs, `${name}Sync`);
for (const [holder, name] of [
  [fs, 'open'],
  [fs.promises, 'open'],
  [fs, 'createWriteStream'],
  [fs, 'writevSync'],
])
  refuse(holder, name, (_, flags = 'r') => flags !== 'r');
syncBuiltinESMExports();

function inside(path) {
  return (
    (typeof path === 'string' || path instanceof URL || Buffer.isBuffer(path)) &&
    isBelow(resolve(String(path)))
  );
}

function isBelow(path) {
  return path === below || path.startsWith(below + sep);
}

function creates(flags) {
  return typeof flags === 'number' ? (flags & O_CREAT) !== 0 : /[wa]/.test(flags);
}

function truncates(flags) {
  return typeof flags === 'number' ? (flags & O_TRUNC) !== 0 : flags.includes('w');
}

function synced(name) {
  return (descriptor) => {
    original[name](descriptor);
    const file = open.get(descriptor);
    if (file !== undefined) record({ change: 'sync', ino: file.ino });
  };
}

function removed(name) {
  return (path) => {
    original[name](path);
    if (inside(path)) record({ change: 'remove', path: resolve(path) });
  };
}

function refuse(holder, name, concerns = () => true) {
  const call = holder[name];
  holder[name] = function (...words) {
    if (words.some((word) => inside(word) || open.has(word)) && concerns(...words))
      throw new Error(`${name} cannot be recorded`);
    return call.apply(this, words);
  };
}

/** Writes a record in one call, so that a killed process leaves at most one truncated record, at the end. */
function record(header, bytes = Buffer.alloc(0)) {
  const text = Buffer.from(
    JSON.stringify({ ...header, at: String(process.hrtime.bigint()), length: bytes.length }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  original.writeSync(output, Buffer.concat([length, text, bytes]));
}
