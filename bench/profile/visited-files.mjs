import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from '../../tools/workspace/workspace-root.mjs';
import { BenchEnvironment } from '../bench-environment.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { mark, markedProcesses } from './marked-processes.mjs';

/**
 * @typedef {{ readonly url: string, readonly offsets: readonly number[] }} CalledScript Where its called functions begin.
 * @typedef {{ readonly service: string, readonly files: readonly VisitedFile[] }} VisitedService
 * @typedef {{ readonly path: string, readonly functions: number }} VisitedFile How many of its functions were called.
 */

const preloaded = fileURLToPath(new URL('cover-on-signal.cjs', import.meta.url));
const WARM_UP_RUNS = 50;
/** A file counts that each of these visits: periodic work falls into some of them. */
const COUNTED_RUNS = 8;
/** The record of a run is written after its answer. */
const SETTLING_MILLISECONDS = 300;

/** What a form of request runs: the example, its path and body, and the status of its answer. */
const FORMS = {
  run: { example: 'echo', path: 'run', body: { input_value: 'hello', session_id: 'visited' }, status: 200 },
  webhook: {
    example: 'order-webhook',
    path: 'webhook',
    body: { customer: 'Ann', quantity: 3, product: 'pencils' },
    status: 202,
  },
};

/** @typedef {keyof typeof FORMS} VisitingForm */

/**
 * Sends requests of one form, then some more while V8 counts calls; resolves to the files of the repository with a function
 * that each of these called, for each service that they reach.
 * @param {{ services: readonly string[] | undefined, form: VisitingForm }} options
 * @returns {Promise<VisitedService[]>}
 */
export async function visitedFiles({ services, form }) {
  const { example, path, body, status } = FORMS[form];
  const folder = mkdtempSync(join(tmpdir(), 'millrace-visited-'));
  process.env.NODE_OPTIONS = `--require ${preloaded}`;
  process.env.BENCH_PROFILE_FOLDER = folder;
  const benchEnvironment = new BenchEnvironment({ services, seconds: 1 });
  try {
    const system = await benchEnvironment.startSystem();
    const { endpoint } = await upload(system, exampleFlow(example, `visited-${example}`));
    const run = async () => {
      const answer = await fetch(`${system.url}/api/v1/${path}/${endpoint}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...system.headers },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status !== status) throw new Error(`the answer is ${answer.status}: ${text}`);
    };
    for (let count = 0; count < WARM_UP_RUNS; count += 1) await run();
    await pause(SETTLING_MILLISECONDS);
    const processes = markedProcesses(folder).filter(
      ({ service }) => form === 'webhook' || service !== 'ingest',
    );
    await mark(folder, processes, 1);
    /** @type {VisitedFile[][]} */
    const files = processes.map(() => []);
    for (let count = 1; count <= COUNTED_RUNS; count += 1) {
      // What was called between two runs is left out.
      await mark(folder, processes, 2 * count);
      await run();
      await pause(SETTLING_MILLISECONDS);
      const marks = /** @type {readonly { scripts: readonly CalledScript[] }[]} */ (
        /** @type {unknown} */ (await mark(folder, processes, 2 * count + 1))
      );
      for (const [index, { scripts }] of marks.entries()) {
        const visited = filesOf(scripts);
        files[index] = count === 1 ? visited : inBoth(files[index], visited);
      }
    }
    return processes.map(({ service }, index) => ({ service, files: files[index] }));
  } finally {
    await benchEnvironment.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the files that are in both, each with the smaller number of functions.
 * @param {readonly VisitedFile[]} some
 * @param {readonly VisitedFile[]} others
 * @returns {VisitedFile[]}
 */
function inBoth(some, others) {
  const counts = new Map(others.map(({ path, functions }) => [path, functions]));
  return some.flatMap(({ path, functions }) => {
    const count = counts.get(path);
    return count === undefined ? [] : [{ path, functions: Math.min(functions, count) }];
  });
}

/**
 * @param {readonly CalledScript[]} scripts
 * @returns {VisitedFile[]}
 */
function filesOf(scripts) {
  /** @type {Map<string, number>} */
  const functions = new Map();
  for (const { url, offsets } of scripts) {
    const bundle = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!existsSync(`${bundle}.map`)) continue;
    const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
    const placeOf = places(readFileSync(bundle, 'utf8'));
    for (const offset of offsets) {
      const entry = map.findEntry(...placeOf(offset));
      if (!('originalSource' in entry)) continue;
      const path = relative(workspaceRoot, resolve(dirname(bundle), entry.originalSource));
      if (/^(?:apps|libs)\//.test(path)) functions.set(path, (functions.get(path) ?? 0) + 1);
    }
  }
  return [...functions]
    .map(([path, count]) => ({ path, functions: count }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/**
 * Returns a function that converts an offset in the text to line and column, both from 0.
 * @param {string} text
 * @returns {(offset: number) => [line: number, column: number]}
 */
function places(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return [low, offset - starts[low]];
  };
}
