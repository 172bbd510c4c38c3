// `node tools/node/run.cjs bench/python.mjs --environment <folder>`: what vertices in Python cost, in open and in sealed processes,
// alternately. With `--langflow <url> --key <key>` also the same flow of one component in standalone and in a Langflow.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { numberText, wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { messageOf } from '../tools/workspace/error-fields.mjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { workspaceRoot } from '../tools/workspace/workspace-root.mjs';

/** @typedef {{ round: (seconds: number) => Promise<Record<string, number>>, close: () => unknown }} MeasuredSide */

const usage = `node tools/node/run.cjs bench/python.mjs --environment <folder> [options]
  --environment <folder>  the Python environment, with lfx; npm run python-environment builds one
  --seconds <n>           how long each loop of a round takes; 5
  --rounds <n>            how often each side is measured; 5
  --langflow <url>        also measures runs/s of a running Langflow over HTTP, beside standalone with --python
  --key <key>             the API key for --langflow
  --out <file>            the file for the results as JSON; .millrace/bench-python.json
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    environment: { type: 'string' },
    seconds: { type: 'string', default: '5', parse: numberText({ above: 0 }) },
    rounds: { type: 'string', default: '5', parse: wholeNumber({ minimum: 1 }) },
    langflow: { type: 'string' },
    key: { type: 'string' },
    out: { type: 'string' },
  },
});
if (flags.environment === undefined) refuseCommandLine('--environment names no folder', usage);
const environmentFolder = resolve(flags.environment ?? '');
const python = join(environmentFolder, 'bin', 'python');
if (!existsSync(python)) refuseCommandLine(`${python} does not exist`, usage);

process.exitCode = await main();

async function main() {
  prepareWorkspace({ build: flags.langflow === undefined ? [] : ['apps/standalone'] });
  // Imported only now, because the packages that they need have just been installed.
  const { environment } = await import('./environment.mjs');
  const { spreads, tableOf } = await import('./python/figures.mjs');
  const machine = environment();
  const sides = await openSides();
  /** @type {Record<string, Record<string, number>[]>} */
  const rounds = {};
  try {
    for (let round = 1; round <= flags.rounds; round += 1)
      for (const [name, side] of Object.entries(sides)) {
        console.log(`round ${round} of ${flags.rounds}: ${name}`);
        (rounds[name] ??= []).push(await side.round(flags.seconds));
      }
  } finally {
    for (const side of Object.values(sides)) await side.close();
  }
  const figures = Object.fromEntries(Object.entries(rounds).map(([name, all]) => [name, spreads(all)]));
  const out = flags.out ?? join(workspaceRoot, '.millrace', 'bench-python.json');
  mkdirSync(dirname(out), { recursive: true });
  const { seconds } = flags;
  writeFileSync(out, `${JSON.stringify({ environment: machine, seconds, figures, rounds }, null, 2)}\n`);
  console.log(`\n${tableOf(figures)}\n\nResults: ${out}`);
  return 0;
}

/** Opens the sides that can be measured on this machine; prints why another one cannot. */
async function openSides() {
  const { loadCode } = await import('./python/python-runs.mjs');
  const { MeasuredPool } = await import('./python/measured-pool.mjs');
  const code = await loadCode();
  /** @type {Record<string, MeasuredSide>} */
  const sides = {};
  try {
    sides.open = await MeasuredPool.open(code, { python, seal: 'off' });
    const sealed = await MeasuredPool.open(code, { python, seal: 'required' }).catch((error) => {
      console.log(`sealed processes are not measured: ${messageOf(error)}`);
    });
    if (sealed !== undefined) sides.sealed = sealed;
    if (flags.langflow !== undefined) await addHttpSides(sides, flags.langflow);
    return sides;
  } catch (error) {
    for (const side of Object.values(sides)) await side.close();
    throw error;
  }
}

/**
 * @param {Record<string, MeasuredSide>} sides
 * @param {string} langflow
 */
async function addHttpSides(sides, langflow) {
  const { httpRuns, startStandalone } = await import('./python/http-runs.mjs');
  const standalone = await startStandalone(environmentFolder);
  sides.standalone = { round: async () => ({}), close: standalone.stop };
  sides.standalone.round = await httpRuns(standalone, python);
  const headers = flags.key === undefined ? {} : { 'x-api-key': flags.key };
  const target = {
    url: langflow.replace(/\/+$/, ''),
    headers: /** @type {Record<string, string>} */ (headers),
  };
  sides.langflow = { round: await httpRuns(target, python), close: () => undefined };
}
