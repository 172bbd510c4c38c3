// `npm run differential`: sends the same generated flows and requests to a real Langflow and to this server, and reports where
// the answers differ.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { JsonObject, Result } from './differential/case.ts' */
/** @import { Material } from './differential/generate-case.mjs' */
/** @import { Pair } from './differential/try-case.mjs' */

const { values: flags } = readCommandLine({
  usage: `npm run differential -- [options]
  --requests <n>       how many cases; 200
  --seed <n>           default: the beginning of the hash of the commit
  --parallel <n>       cases at a time, each with users of its own; 2
  --shrink <n>         plays to find the smallest case of each cause; 12
  --resume             goes on with the run of this seed
  --type <type>        only flows around one component
  --case <n>           plays one case, prints it with all differences, and exits
  --out <folder>       where the report is written; .millrace/differential/<seed>
  --langflow-tests <folder>
                       runs instead the HTTP tests of a checkout of Langflow, src/backend/tests, against both servers
  --langflow <url>     a Langflow that runs already, with --langflow-key <key of an admin>
  --langflow-environment <folder>
                       a Python environment with Langflow; made below .millrace unless given
  --help`,
  options: {
    requests: { type: 'string', default: '200', parse: wholeNumber({ minimum: 1 }) },
    seed: { type: 'string', parse: wholeNumber({ minimum: 0 }) },
    parallel: { type: 'string', default: '2', parse: wholeNumber({ minimum: 1, maximum: 16 }) },
    shrink: { type: 'string', default: '12', parse: wholeNumber({ minimum: 0 }) },
    resume: { type: 'boolean' },
    type: { type: 'string' },
    case: { type: 'string', parse: wholeNumber({ minimum: 0 }) },
    out: { type: 'string' },
    langflow: { type: 'string' },
    'langflow-tests': { type: 'string' },
    'langflow-key': { type: 'string' },
    'langflow-environment': { type: 'string' },
  },
});
/** Of each cause. */
const SHRUNK_CASES = 1;

process.exitCode = await main();

async function main() {
  prepareWorkspace({ build: ['apps/standalone'] });
  const { loadWorkspaceCode } = await import('./build/load-workspace-code.mjs');
  const { startModelServer } = await loadWorkspaceCode(
    "export { startModelServer } from './start-model-server';",
    'apps/model-server/src',
  );
  const { openTargets } = await import('./differential/open-targets.mjs');
  const { startEchoServer } = await import('./differential/echo-server.mjs');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: workspaceRoot, encoding: 'utf8' }).trim();
  const seed = flags.seed ?? Number.parseInt(commit.slice(0, 7), 16);
  const folder = resolve(
    process.env.INIT_CWD ?? '.',
    flags.out ?? join(workspaceRoot, '.millrace', 'differential', String(seed)),
  );
  mkdirSync(folder, { recursive: true });
  const [model, echo] = [await startModelServer(), await startEchoServer()];
  const targets = await openTargets({
    folder,
    modelOrigin: model.origin,
    langflow: { url: flags.langflow, key: flags['langflow-key'], environment: flags['langflow-environment'] },
  });
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.once(name, () => void targets.stop().finally(() => process.exit(1)));
  try {
    if (flags['langflow-tests'] !== undefined)
      return await playLangflowTests(flags['langflow-tests'], folder, targets);
    const { material, types } = await readMaterial(targets, seed);
    const openPair = pairOpener(targets, echo.url);
    if (flags.case !== undefined) return await playOne(flags.case, material, await openPair());
    return await playAll({ commit, seed, folder, material, types, openPair });
  } finally {
    await targets.stop();
    await Promise.all([model.close(), echo.close()]);
  }
}

/**
 * @param {string} copy
 * @param {string} folder
 * @param {Awaited<ReturnType<typeof import('./differential/open-targets.mjs').openTargets>>} targets
 */
async function playLangflowTests(copy, folder, targets) {
  const { langflowEnvironment } = await import('./differential/langflow-server.mjs');
  const { runLangflowTests } = await import('./differential/langflow-tests.mjs');
  const environment = await langflowEnvironment(flags['langflow-environment']);
  const { valid, passed } = await runLangflowTests({
    copy: resolve(process.env.INIT_CWD ?? '.', copy),
    environment,
    folder,
    targets,
  });
  return passed === valid ? 0 : 1;
}

/**
 * @param {Awaited<ReturnType<typeof import('./differential/open-targets.mjs').openTargets>>} targets
 * @param {number} seed
 */
async function readMaterial({ langflow, millrace }, seed) {
  const { readCatalog } = await import('./differential/read-catalog.mjs');
  const { readOperations } = await import('./differential/read-operations.mjs');
  const [left, right] = await Promise.all(
    [langflow, millrace].map(async ({ url, key }) => {
      const response = await fetch(`${url}/openapi.json`, { headers: { 'x-api-key': key } });
      return /** @type {Promise<JsonObject>} */ (response.json());
    }),
  );
  const catalog = await readCatalog(langflow);
  /** @type {Material} */
  const material = { seed, catalog, operations: readOperations(left, right), type: flags.type };
  return { material, types: Object.keys(catalog.templates).sort() };
}

/**
 * Returns a function that makes a new user on both servers.
 * @param {Omit<Pair, 'keys' | 'echo'>} targets
 * @param {string} echo
 * @returns {() => Promise<Pair>}
 */
function pairOpener({ langflow, millrace }, echo) {
  let users = 0;
  return async () => {
    users += 1;
    const username = `differential-${process.pid}-${users}`;
    const keys = {
      langflow: await langflow.newAccount(username),
      millrace: await millrace.newAccount(username),
    };
    return { langflow, millrace, keys, echo };
  };
}

/**
 * @param {number} id
 * @param {Material} material
 * @param {Pair} pair
 */
async function playOne(id, material, pair) {
  const { generateCase } = await import('./differential/generate-case.mjs');
  const { tryCase } = await import('./differential/try-case.mjs');
  const result = await tryCase(generateCase(id, material), pair, {
    wanted: [],
    shrinks: () => true,
    plays: flags.shrink,
  });
  console.log(JSON.stringify(result, null, 1));
  return result.outcome === 'equal' ? 0 : 1;
}

/**
 * @param {{ readonly commit: string, readonly seed: number, readonly folder: string, readonly material: Material,
 *   readonly types: readonly string[], readonly openPair: () => Promise<Pair> }} run
 */
async function playAll({ commit, seed, folder, material, types, openPair }) {
  const { generateCase } = await import('./differential/generate-case.mjs');
  const { tryCase } = await import('./differential/try-case.mjs');
  const { readWanted } = await import('./differential/wanted-differences.mjs');
  const { failuresOf, summarise, writeReport } = await import('./differential/write-report.mjs');
  const wanted = readWanted();
  const state = join(folder, 'state.json');
  /** @type {Result[]} */
  const results = flags.resume && existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : [];
  const done = new Set(results.map(({ id }) => id));
  const waiting = Array.from({ length: flags.requests }, (_, id) => id).filter((id) => !done.has(id));
  /** @type {Map<string, number>} */
  const shrunk = new Map();
  const shrinks = (/** @type {string} */ cause) => {
    const count = shrunk.get(cause) ?? 0;
    shrunk.set(cause, count + 1);
    return count < SHRUNK_CASES;
  };
  const work = async () => {
    let pair = await openPair();
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const result = await tryCase(generateCase(id, material), pair, {
        wanted,
        shrinks,
        plays: flags.shrink,
      });
      results.push(result);
      writeFileSync(state, JSON.stringify(results));
      console.log(
        `${String(id).padStart(5)}  ${result.outcome.padEnd(9)}  ${result.form}  ${result.types.join(' ')}`,
      );
      // The next case must find the same on both servers.
      if (result.outcome === 'different') pair = await openPair();
    }
  };
  await Promise.all(Array.from({ length: flags.parallel }, work));
  results.sort((one, other) => one.id - other.id);
  const summary = summarise({ seed, commit, results, wanted, types });
  writeReport(folder, summary);
  const failures = failuresOf(summary);
  console.log(
    `\n${JSON.stringify(summary.outcomes)}, ${summary.runs.langflow} of ${summary.runs.total} runs succeed on Langflow`,
  );
  for (const { cause, cases, failed } of summary.causes.slice(0, 40))
    console.log(`${String(cases.length).padStart(5)} ${String(failed.length).padStart(5)}  ${cause}`);
  console.log(`\n${join(folder, 'report.html')}\n${failures.join(' ') || 'no differences'}`);
  return failures.length === 0 ? 0 : 1;
}
