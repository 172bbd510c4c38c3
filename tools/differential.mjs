// `npm run differential`: sends the same generated flows and requests to a real Langflow and to this server, and reports where
// the answers differ.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { JsonObject } from './differential/case.ts' */
/** @import { Material } from './differential/generate-case.mjs' */
/** @import { Target, Targets } from './differential/open-targets.mjs' */
/** @import { Pair } from './differential/try-case.mjs' */

const { values: flags } = readCommandLine({
  usage: `npm run differential -- [options]
  --requests <n>       how many cases; 200
  --seed <n>           default: the beginning of the hash of the commit
  --seeds <n>          that many runs, with seeds from the hash of the commit
  --parallel <n>       cases at a time, each with users of its own; 4
  --langflows <n>      processes of Langflow, each of which uses one core; 2
  --shrink <n>         plays to find the smallest case of each cause; 12
  --resume             goes on with the run of this seed
  --type <type>        only flows around one component
  --case <n>           plays one case, prints it with all differences, and exits
  --out <folder>       where the report is written; .millrace/differential/<seed>
  --langflow-tests <folder>
                       runs instead the HTTP tests of a checkout of Langflow, src/backend/tests, against both servers
  --langflow <url>     a Langflow that runs already, with --langflow-key <key of an admin>
  --langflow-environment <folder>
                       a Python environment with Langflow, or a version; made below .millrace unless given
  --before <folder>    compares Langflow with another one, an environment or a version, in place of this server
  --help`,
  options: {
    requests: { type: 'string', default: '200', parse: wholeNumber({ minimum: 1 }) },
    seed: { type: 'string', parse: wholeNumber({ minimum: 0 }) },
    seeds: { type: 'string', parse: wholeNumber({ minimum: 1, maximum: 5 }) },
    langflows: { type: 'string', default: '2', parse: wholeNumber({ minimum: 1, maximum: 8 }) },
    parallel: { type: 'string', default: '4', parse: wholeNumber({ minimum: 1, maximum: 16 }) },
    shrink: { type: 'string', default: '12', parse: wholeNumber({ minimum: 0 }) },
    resume: { type: 'boolean' },
    type: { type: 'string' },
    case: { type: 'string', parse: wholeNumber({ minimum: 0 }) },
    out: { type: 'string' },
    langflow: { type: 'string' },
    'langflow-tests': { type: 'string' },
    'langflow-key': { type: 'string' },
    'langflow-environment': { type: 'string' },
    before: { type: 'string' },
  },
});
/** Of the hash of the commit, for each seed. */
const SEED_DIGITS = 7;

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
  const seeds = seedsOf(commit);
  const folder = folderOf(seeds[0]);
  mkdirSync(folder, { recursive: true });
  const [model, echo] = [await startModelServer(), await startEchoServer()];
  const targets = await openTargets({
    folder,
    modelOrigin: model.origin,
    langflow: { url: flags.langflow, key: flags['langflow-key'], environment: flags['langflow-environment'] },
    langflows: flags['langflow-tests'] === undefined ? flags.langflows : 1,
    before: flags.before,
  });
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.once(name, () => void targets.stop().finally(() => process.exit(1)));
  try {
    if (flags['langflow-tests'] !== undefined)
      return await playLangflowTests(flags['langflow-tests'], folder, targets);
    return await playSeeds(seeds, { commit, targets, openPair: pairOpener(targets, echo.url) });
  } finally {
    await targets.stop();
    await Promise.all([model.close(), echo.close()]);
  }
}

/**
 * @param {string} copy
 * @param {string} folder
 * @param {Targets} targets
 */
async function playLangflowTests(copy, folder, { langflows: [langflow], millrace }) {
  const { langflowEnvironment } = await import('./differential/langflow-environment.mjs');
  const { runLangflowTests } = await import('./differential/langflow-tests.mjs');
  const environment = await langflowEnvironment(flags['langflow-environment']);
  const { valid, passed } = await runLangflowTests({
    copy: resolve(process.env.INIT_CWD ?? '.', copy),
    environment,
    folder,
    targets: { langflow, millrace },
  });
  return passed === valid ? 0 : 1;
}

/**
 * @param {readonly number[]} seeds
 * @param {{ readonly commit: string, readonly targets: Targets, readonly openPair: () => Promise<Pair> }} run
 */
async function playSeeds(seeds, { commit, targets, openPair }) {
  const { material, types } = await readMaterial(targets, seeds[0]);
  if (flags.case !== undefined) return await playOne(flags.case, material, await openPair());
  const { playAll } = await import('./differential/play-all.mjs');
  const { readOpen, readWanted } = await import('./differential/wanted-differences.mjs');
  const isOfVersions = flags.before !== undefined;
  if (isOfVersions) await showChanges(folderOf(seeds[0]), targets);
  let isFailed = false;
  for (const seed of seeds) {
    const failures = await playAll({
      commit,
      folder: folderOf(seed),
      trend: isOfVersions
        ? null
        : join(
            folderOf(seed),
            flags.out !== undefined && flags.seeds === undefined ? '.' : '..',
            'trend.jsonl',
          ),
      material: { ...material, seed },
      types,
      requests: flags.requests,
      parallel: flags.parallel,
      plays: flags.shrink,
      resume: flags.resume === true,
      wanted: isOfVersions ? [] : readWanted(),
      open: isOfVersions ? [] : readOpen(),
      openPair,
    });
    isFailed ||= failures.length > 0;
  }
  return isFailed && !isOfVersions ? 1 : 0;
}

/**
 * Says what changed for this server between two versions of Langflow.
 * @param {string} folder
 * @param {Targets} targets
 */
async function showChanges(folder, { langflows: [after], millrace: before }) {
  const { readLangflow } = await import('./differential/read-langflow.mjs');
  const { compareLangflows } = await import('./differential/compare-langflows.mjs');
  const { writeChanges } = await import('./differential/write-changes.mjs');
  const changes = compareLangflows(await readLangflow(before), await readLangflow(after));
  console.log(`Langflow ${changes.before} and ${changes.after}`);
  for (const line of writeChanges(folder, changes)) console.log(line);
  console.log(`${join(folder, 'changes.md')}\n`);
}

/** @param {string} commit */
function seedsOf(commit) {
  if (flags.seed !== undefined) return [flags.seed];
  return Array.from({ length: flags.seeds ?? 1 }, (_, index) =>
    Number.parseInt(commit.slice(index * SEED_DIGITS, (index + 1) * SEED_DIGITS), 16),
  );
}

/** @param {number} seed */
function folderOf(seed) {
  const name = flags.before === undefined ? String(seed) : `changes-${seed}`;
  if (flags.out === undefined) return join(workspaceRoot, '.millrace', 'differential', name);
  const folder = resolve(process.env.INIT_CWD ?? '.', flags.out);
  return flags.seeds === undefined ? folder : join(folder, String(seed));
}

/**
 * @param {Targets} targets
 * @param {number} seed
 */
async function readMaterial({ langflows: [langflow], millrace }, seed) {
  const { readCatalog } = await import('./differential/read-catalog.mjs');
  const { readOperations } = await import('./differential/read-operations.mjs');
  const { sendRequest } = await import('./differential/send-request.mjs');
  const [left, right] = await Promise.all(
    [langflow, millrace].map(async ({ url, key }) => {
      const response = await sendRequest(`${url}/openapi.json`, { headers: { 'x-api-key': key } });
      return /** @type {Promise<JsonObject>} */ (response.json());
    }),
  );
  const catalog = await readCatalog(langflow);
  /** @type {Material} */
  const material = { seed, catalog, operations: readOperations(left, right), type: flags.type };
  return { material, types: Object.keys(catalog.templates).sort() };
}

/**
 * Returns a function that makes a new user on both servers, by turns on each Langflow.
 * @param {Targets} targets
 * @param {string} echo
 * @returns {() => Promise<Pair>}
 */
function pairOpener({ langflows, millrace }, echo) {
  let users = 0;
  return async () => {
    /** @type {Target} */
    const langflow = langflows[users % langflows.length];
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
    open: [],
    isKnown: () => false,
    shrinks: () => true,
    plays: flags.shrink,
  });
  console.log(JSON.stringify(result, null, 1));
  return result.outcome === 'equal' ? 0 : 1;
}
