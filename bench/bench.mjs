// `npm run bench`: measures each scenario and its bare limit in one run, alternating. `npm run bench -- --report a.json …`
// writes docs/operate/benchmarks.md from the results.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { numberText, wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';
import { workspaceRoot } from '../tools/workspace/workspace-root.mjs';

const usage = `npm run bench -- [options]
  --scenario <ids>   only these scenarios, comma separated: B2,B3
  --observation      only B22, B23 and B24: B1, B2 and B15 with logs, traces and vertex records off, by default and full
  --seconds <n>      how long each measurement takes; 10. Fewer seconds also shrink backlogs and fixed numbers of runs
  --rounds <n>       how often each side of a scenario is measured; 3
  --out <file>       the file for the results as JSON; .millrace/bench.json. With --report, the file for the page
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --peers            only P1 and P64: Millrace beside other products, which are installed below .millrace/peers
  --profile <id>     profiles the services of a scenario instead: CPU time per run and its distribution over hops
  --runs <n>         with --profile: how many runs are counted; the same number warm up before and is profiled after
  --visited-files <form>  prints instead which files of the repository one warm run visits, by service: run or webhook
  --kept             measures instead what runs of some flows leave in PostgreSQL; --runs says how many
  --report <files>   measures nothing, and writes docs/operate/benchmarks.md from results
  --help`;

const { values: flags, positionals } = readCommandLine({
  usage,
  positionals: { maximum: Infinity },
  options: {
    scenario: { type: 'string' },
    observation: { type: 'boolean' },
    seconds: { type: 'string', default: '10', parse: numberText({ above: 0 }) },
    rounds: { type: 'string', default: '3', parse: wholeNumber({ minimum: 1 }) },
    out: { type: 'string' },
    services: servicesOption,
    peers: { type: 'boolean' },
    profile: { type: 'string' },
    runs: { type: 'string', default: '20000', parse: wholeNumber({ minimum: 1 }) },
    'visited-files': { type: 'string', parse: readForm },
    kept: { type: 'boolean' },
    report: { type: 'boolean' },
  },
});
if (flags.peers && flags.observation)
  refuseCommandLine('--peers and --observation exclude each other', usage);
if (flags.report && positionals.length === 0) refuseCommandLine('--report needs the files of results', usage);
if (!flags.report && positionals.length > 0)
  refuseCommandLine(`"${positionals[0]}" is expected with --report only`, usage);

process.exitCode = await main();

async function main() {
  prepareWorkspace({ build: !flags.report });
  // Imported only now, because the packages that they need have just been installed.
  if (flags.report) {
    const { writeReport } = await import('./report/write-report.mjs');
    return flags.out === undefined
      ? writeReport(
          positionals,
          join(workspaceRoot, 'docs', 'operate', 'benchmarks.md'),
          join(workspaceRoot, 'README.md'),
        )
      : writeReport(positionals, flags.out);
  }
  const { chooseScenarios } = await import('./scenarios/all-scenarios.mjs');
  if (flags.profile !== undefined) return profile(chooseScenarios(flags.profile));
  if (flags['visited-files'] !== undefined) return printVisitedFiles(flags['visited-files']);
  if (flags.kept) return measureKept();
  const { runScenarios } = await import('./run-scenarios.mjs');
  const out = flags.out ?? join(workspaceRoot, '.millrace', 'bench.json');
  mkdirSync(dirname(out), { recursive: true });
  const scenarios = chooseScenarios(flags.observation ? 'B22,B23,B24' : flags.scenario, {
    withPeers: flags.peers,
  });
  const signal = interruption();
  const results = await runScenarios({
    scenarios,
    seconds: flags.seconds,
    rounds: flags.rounds,
    services: flags.services,
    peers: flags.peers ? await installAllPeers(signal) : undefined,
    signal,
    keep: (soFar) => writeFileSync(out, `${JSON.stringify(soFar, null, 2)}\n`),
  });
  console.log(`\nResults: ${out}`);
  return results.scenarios.every(isWhole) ? 0 : 1;
}

async function measureKept() {
  const { measureKeptRuns } = await import('./kept/kept-runs.mjs');
  const figures = await measureKeptRuns({ services: flags.services, runs: flags.runs });
  if (flags.out !== undefined) writeFileSync(flags.out, `${JSON.stringify(figures, null, 2)}\n`);
  return 0;
}

/** @param {import('./scenario.ts').ScenarioResult} result */
function isWhole(result) {
  return result.failure === undefined && result.errors === 0 && result.notMeasured === undefined;
}

/** @param {AbortSignal} signal */
async function installAllPeers(signal) {
  const { installPeers } = await import('./peers/all-peers.mjs');
  return installPeers(join(workspaceRoot, '.millrace', 'peers'), { print: console.log, signal });
}

/** @param {readonly import('./scenario.ts').Scenario[]} scenarios */
async function profile(scenarios) {
  const { profileScenario } = await import('./profile/profile-scenario.mjs');
  const out = flags.out ?? join(workspaceRoot, '.millrace', 'profile.json');
  mkdirSync(dirname(out), { recursive: true });
  const results = [];
  for (const scenario of scenarios)
    results.push(
      await profileScenario(scenario, {
        runs: flags.runs,
        services: flags.services,
        profiles: join(dirname(out), 'profiles'),
      }),
    );
  writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\nResults: ${out}`);
  return results.every(({ sides }) => sides.every(({ errors }) => errors === 0)) ? 0 : 1;
}

/**
 * @param {string} text
 * @returns {import('./profile/visited-files.mjs').VisitingForm}
 */
function readForm(text) {
  if (text !== 'run' && text !== 'webhook') throw new Error('must be run or webhook');
  return text;
}

/** @param {import('./profile/visited-files.mjs').VisitingForm} form */
async function printVisitedFiles(form) {
  const { visitedFiles } = await import('./profile/visited-files.mjs');
  for (const { service, files } of await visitedFiles({ services: flags.services, form })) {
    const own = files.filter(({ path }) => path.startsWith('apps/'));
    console.log(`\n${service}: ${own.length} files of apps, ${files.length - own.length} files of libs`);
    for (const { path, functions } of files) console.log(`  ${path} (${functions} functions)`);
  }
  return 0;
}

/** Returns an abort signal that the first signal to this process aborts. */
function interruption() {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
  return interrupted.signal;
}
