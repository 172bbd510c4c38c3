import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative, resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from '../../tools/workspace/workspace-root.mjs';
import { hopOf } from './hops.mjs';

/** @import { Profiler } from 'node:inspector' */
/** @import { Frame } from './hops.mjs' */

/**
 * @typedef {{ readonly name: string, readonly share: number }} Share
 * @typedef {{ readonly hops: readonly Share[], readonly functions: readonly Share[] }} Profile
 */

const HOTTEST = 25;

/**
 * Converts a CPU profile to { hops, functions }: the share of busy time of each hop and of the hottest functions, without
 * the functions that they call. Idle time does not count.
 * @param {Profiler.Profile} profile
 * @returns {Profile}
 */
export function readProfile({ nodes, samples = [], timeDeltas = [] }) {
  const own = ownTimes(samples, timeDeltas);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<string, number>} */
  const hops = new Map();
  /** @type {Map<string, number>} */
  const functions = new Map();
  let atWork = 0;
  const frameOf = sourceFrames();
  /**
   * @param {number} id
   * @param {string | undefined} calling
   */
  const visit = (id, calling) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { callFrame, children = [] } = node;
    const frame = frameOf(callFrame);
    if (frame.name === '(idle)') return;
    // Functions called from the root have no caller.
    const hop = frame.name === '(root)' ? undefined : hopOf(frame, calling);
    const time = own.get(id) ?? 0;
    atWork += time;
    add(hops, hop ?? 'event loop', time);
    add(functions, `${frame.name} ${frame.path}`.trim(), time);
    for (const child of children) visit(child, hop === 'event loop' ? undefined : hop);
  };
  visit(nodes[0].id, undefined);
  return { hops: shares(hops, atWork), functions: shares(functions, atWork).slice(0, HOTTEST) };
}

/**
 * @param {readonly number[]} samples
 * @param {readonly number[]} timeDeltas
 */
function ownTimes(samples, timeDeltas) {
  /** @type {Map<number, number>} */
  const own = new Map();
  samples.forEach((id, index) => add(own, id, Math.max(0, timeDeltas[index + 1] ?? 0)));
  return own;
}

/**
 * @template K
 * @param {Map<K, number>} map
 * @param {K} key
 * @param {number} value
 */
function add(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}

/**
 * @param {Map<string, number>} times
 * @param {number} whole
 * @returns {Share[]}
 */
function shares(times, whole) {
  return [...times]
    .filter(([, time]) => time > 0)
    .map(([name, time]) => ({ name, share: time / whole }))
    .sort((left, right) => right.share - left.share);
}

/**
 * Returns a function that finds the source of a frame in a bundle, from the source map next to the bundle.
 * @returns {(frame: import('node:inspector').Runtime.CallFrame) => Frame}
 */
function sourceFrames() {
  /** @type {Map<string, SourceMap | null>} */
  const maps = new Map();
  /** @param {string} file */
  const mapOf = (file) => {
    if (!maps.has(file)) {
      const path = `${file}.map`;
      maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null);
    }
    return maps.get(file);
  };
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName === '' ? '(anonymous)' : functionName;
    if (url === '' || url.startsWith('node:')) return { name, path: url };
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
    const source = entry !== undefined && 'originalSource' in entry ? entry.originalSource : undefined;
    const path = source === undefined ? file : resolve(dirname(file), source);
    return { name, path: relative(workspaceRoot, path) };
  };
}
