import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** @typedef {Map<number, { readonly parent: number, readonly ticks: number }>} Processes By id. */

/** Linux reports the CPU time of processes in hundredths of a second. */
const TICK_MICROSECONDS = 10_000;
const LISTENING = '0A';

/**
 * Returns the CPU time in microseconds of each process and its descendants, by the name under which its id is given.
 * Omits names without an id, and all names on a system without /proc.
 * @param {Readonly<Record<string, number | undefined>>} ids
 * @returns {Record<string, number>}
 */
export function processorTimes(ids) {
  const known = Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [] : [{ name, id }]));
  const processes = known.length === 0 ? new Map() : readProcesses();
  return Object.fromEntries(
    known
      .filter(({ id }) => processes.has(id))
      .map(({ name, id }) => [name, treeTicks(id, processes) * TICK_MICROSECONDS]),
  );
}

/**
 * Returns the id of the process that listens on a port, the lowest of several; undefined when it is not visible.
 * @param {number} port
 * @returns {number | undefined}
 */
export function processListeningOn(port) {
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readLines).flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === LISTENING && Number.parseInt(local.split(':')[1], 16) === port
        ? [`socket:[${inode}]`]
        : [];
    }),
  );
  if (sockets.size === 0) return undefined;
  return processIds().find((id) => openFiles(id).some((file) => sockets.has(file)));
}

/**
 * Returns the id of a process and those of its descendants.
 * @param {number} root
 * @returns {number[]}
 */
export function processTree(root) {
  const processes = readProcesses();
  /** @type {(id: number) => number[]} */
  const below = (id) => [id, ...children(id, processes).flatMap(below)];
  return below(root);
}

/** @returns {Processes} */
function readProcesses() {
  const processes = new Map();
  for (const id of processIds()) {
    const [line = ''] = readLines(`/proc/${id}/stat`);
    // The name, in brackets, can contain blanks.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    if (fields.length < 15) continue;
    // The time of the process, and that of children that have ended and were waited for.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    processes.set(id, { parent: Number(fields[1]), ticks });
  }
  return processes;
}

/**
 * @param {number} root
 * @param {Processes} processes
 * @returns {number}
 */
function treeTicks(root, processes) {
  const own = processes.get(root)?.ticks ?? 0;
  return children(root, processes).reduce((sum, id) => sum + treeTicks(id, processes), own);
}

/**
 * @param {number} parent
 * @param {Processes} processes
 */
function children(parent, processes) {
  return [...processes].filter(([, process]) => process.parent === parent).map(([id]) => id);
}

function processIds() {
  return entries('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((left, right) => left - right);
}

/** @param {number} id */
function openFiles(id) {
  const folder = `/proc/${id}/fd`;
  return entries(folder).map((name) => orElse(() => readlinkSync(`${folder}/${name}`), ''));
}

/** @param {string} path */
function readLines(path) {
  return orElse(() => readFileSync(path, 'utf8').split('\n'), []);
}

/** @param {string} folder */
function entries(folder) {
  return orElse(() => readdirSync(folder), []);
}

/**
 * Calls `read`; returns `otherwise` if it throws, since processes can end while they are read or be inaccessible.
 * @template T
 * @param {() => T} read
 * @param {T} otherwise
 */
function orElse(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
