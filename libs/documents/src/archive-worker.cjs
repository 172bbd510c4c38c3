// The thread that unpacks one archive: in { content, bounds }, out { result: [{ name, content }] } or { failure }. The
// content determines the kind of archive, not the name: ZIP, tar, or tar in gzip.
const { gunzipSync } = require('node:zlib');
const { parentPort, workerData } = require('node:worker_threads');
const { unzipSync } = require('fflate');

/** @import { MessagePort } from 'node:worker_threads' */

/**
 * @typedef {object} Bounds Limits on what an archive contains.
 * @property {number} entries
 * @property {number} unpackedBytes
 */

const port = /** @type {MessagePort} */ (parentPort);
const BLOCK = 512;

try {
  port.postMessage({ result: unpack(Buffer.from(workerData.content), workerData.bounds) });
} catch (error) {
  port.postMessage({ failure: error instanceof Error ? error.message : String(error) });
}

/**
 * Returns null for a file that is not an archive.
 * @param {Buffer} content
 * @param {Bounds} bounds
 */
function unpack(content, bounds) {
  if (content.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return fromZip(content, bounds);
  if (content[0] === 0x1f && content[1] === 0x8b) return fromTar(gunzip(content, bounds), bounds);
  return fromTar(content, bounds);
}

/**
 * @param {Buffer} content
 * @param {Bounds} bounds
 */
function gunzip(content, { unpackedBytes }) {
  try {
    return gunzipSync(content, { maxOutputLength: unpackedBytes });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(unpackedBytes) : error;
  }
}

/**
 * @param {Buffer} content
 * @param {Bounds} bounds
 */
function fromZip(content, bounds) {
  const count = counter(bounds);
  const files = unzipSync(content, {
    filter: ({ name, originalSize }) => {
      if (!isWanted(name)) return false;
      count(originalSize);
      return true;
    },
  });
  return Object.entries(files).map(([name, bytes]) => ({ name, content: bytes }));
}

/**
 * Returns null for a file that is not a tar archive.
 * @param {Buffer} content
 * @param {Bounds} bounds
 */
function fromTar(content, bounds) {
  if (content.subarray(257, 262).toString('latin1') !== 'ustar') return null;
  const count = counter(bounds);
  const files = [];
  let longName = null;
  for (let offset = 0; offset + BLOCK <= content.length && content[offset] !== 0;) {
    const header = content.subarray(offset, offset + BLOCK);
    const size = Number.parseInt(field(header, 124, 12), 8);
    const start = offset + BLOCK;
    if (!(size >= 0) || start + size > content.length) throw new Error('The archive is damaged.');
    const body = content.subarray(start, start + size);
    const kind = String.fromCharCode(header[156]);
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
    // A name that is too long for its header precedes it, in the GNU or the POSIX format.
    if (kind === 'L') longName = field(body, 0, size);
    else if (kind === 'x') longName = /\d+ path=(.*)\n/.exec(body.toString())?.[1] ?? null;
    else {
      const name = longName ?? [field(header, 345, 155), field(header, 0, 100)].filter(Boolean).join('/');
      longName = null;
      if ((kind !== '0' && kind !== '\0') || !isWanted(name)) continue;
      count(size);
      files.push({ name, content: new Uint8Array(body) });
    }
  }
  return files;
}

/**
 * Returns the text of a field, which ends at its first NUL.
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} length
 */
function field(bytes, start, length) {
  const text = bytes.subarray(start, start + length).toString();
  const end = text.indexOf('\0');
  return (end === -1 ? text : text.slice(0, end)).trim();
}

/**
 * Excludes folders and the metadata that macOS adds to archives.
 * @param {string} name
 */
function isWanted(name) {
  return !name.endsWith('/') && !/(^|\/)(\._|__MACOSX\/)/.test(name);
}

/**
 * Returns a function that throws when the archive exceeds the limits of files or bytes; sizes are known before
 * unpacking.
 * @param {Bounds} bounds
 */
function counter({ entries, unpackedBytes }) {
  let files = 0;
  let bytes = 0;
  return (/** @type {number} */ size) => {
    files += 1;
    bytes += size;
    if (files > entries) throw new Error(`The archive contains more than ${entries} files.`);
    if (bytes > unpackedBytes) throw tooLarge(unpackedBytes);
  };
}

/** @param {number} unpackedBytes */
function tooLarge(unpackedBytes) {
  return new Error(`The archive contains more than ${unpackedBytes} bytes.`);
}
