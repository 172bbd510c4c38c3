// `npm run bench`: each scenario beside its bare limit, in one run, alternating. `npm run bench -- --report a.json …`
// writes docs/benchmarks.md from such results.
import '../tools/require-node-version.mjs';
import '../tools/errors-as-sentences.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { choiceText } from '../libs/service/src/options/choice-text.cjs';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { numberText, wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { prepareWorkspace } from '../tools/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';
import { workspaceRoot } from '../tools/workspace-root.mjs';

const usage = `npm run bench -- [options]
  --scenario <ids>   only these, comma separated: B2,B3
  --seconds <n>      how long each measurement takes; 10, and what else grows with it is whole then
  --rounds <n>       how often the sides of a scenario take turns; 3
  --out <file>       where the results go as JSON; .millrace/bench.json. With --report, where the page goes
  --services <ways>  only these ways to the servers: env, local, private, compose, apt (comma separated)
  --peer node-red    installs Node-RED below .millrace/peers and measures it in B4
  --profile <id>     measures one scenario's services instead: CPU time per run, and which hop takes which part of it
  --runs <n>         with --profile: how many runs are counted, and as many each before to warm up and after to profile
  --report <files>   measures nothing: writes docs/benchmarks.md from results
  --help`;

const { values: flags, positionals } = readCommandLine({
  usage,
  positionals: { maximum: Infinity },
  options: {
    scenario: { type: 'string' },
    seconds: { type: 'string', default: '10', parse: numberText({ above: 0 }) },
    rounds: { type: 'string', default: '3', parse: wholeNumber({ minimum: 1 }) },
    out: { type: 'string' },
    services: servicesOption,
    peer: { type: 'string', parse: choiceText(['node-red']) },
    profile: { type: 'string' },
    runs: { type: 'string', default: '20000', parse: wholeNumber({ minimum: 1 }) },
    report: { type: 'boolean' },
  },
});
if (flags.report && positionals.length === 0) refuseCommandLine('--report needs the files of results', usage);
if (!flags.report && positionals.length > 0)
  refuseCommandLine(`"${positionals[0]}" is expected with --report only`, usage);

process.exitCode = await main();

async function main() {
  prepareWorkspace({ build: !flags.report });
  // Only now are the packages there that these need.
  if (flags.report) {
    const { writeReport } = await import('./report/write-report.mjs');
    return writeReport(positionals, flags.out ?? join(workspaceRoot, 'docs', 'benchmarks.md'));
  }
  const peers = join(workspaceRoot, '.millrace', 'peers');
  if (flags.peer !== undefined) {
    const { installNodeRed } = await import('./peers/node-red.mjs');
    installNodeRed(peers, console.log);
  }
  const { chooseScenarios } = await import('./scenarios/all-scenarios.mjs');
  if (flags.profile !== undefined) return profile(chooseScenarios(flags.profile));
  const { runScenarios } = await import('./run-scenarios.mjs');
  const out = flags.out ?? join(workspaceRoot, '.millrace', 'bench.json');
  mkdirSync(dirname(out), { recursive: true });
  const results = await runScenarios({
    scenarios: chooseScenarios(flags.scenario),
    seconds: flags.seconds,
    rounds: flags.rounds,
    services: flags.services,
    peers: flags.peer === undefined ? undefined : peers,
    signal: interruption(),
    keep: (soFar) => writeFileSync(out, `${JSON.stringify(soFar, null, 2)}\n`),
  });
  console.log(`\nResults: ${out}`);
  return results.scenarios.every(({ errors, failure }) => errors === 0 && failure === undefined) ? 0 : 1;
}

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

/** The first signal ends the measurement in hand and all that was started for it. */
function interruption() {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
  return interrupted.signal;
}
