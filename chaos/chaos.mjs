// `npm run chaos -- --seed 7 --minutes 10`: runs a private installation under load, injects faults, and compares the
// answers of callers with stored runs and effects. `--faults F3` injects a single fault, as often as its row in README.md
// requires. The last line is `verdict: held` or `verdict: broken (…)`.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { choiceText } from '../libs/service/src/text/choice-text.cjs';
import { numberText, wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';

const usage = `npm run chaos -- [options]
  --seed <n>       determines the order, targets and times of faults; default from the clock
  --minutes <n>    how long faults are injected; 10
  --rate <n>       requests per second; 20
  --faults <ids>   only these faults, comma separated; a single one is injected as often as its row requires
  --broker-cluster kills, freezes and cuts off one node at a time of a RabbitMQ cluster of three; with
                   --faults, only these of C1 to C7
  --backlog <n>    how many webhooks F11 sends; 100000. F22 sends at most 10000 and F23 at most 1000
  --python <dir>   starts executors with this Python environment, too, and sends runs with vertices in Python
  --pgbouncer <m>  puts a PgBouncer in session or transaction mode in front of PostgreSQL
  --out <file>     writes the report as JSON
  --logs <file>    writes the logs of the services
  --built          skips the build
  --help
Faults, invariants and limits: chaos/README.md`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000), parse: wholeNumber({ minimum: 0 }) },
    minutes: { type: 'string', default: '10', parse: numberText({ minimum: 0 }) },
    rate: { type: 'string', default: '20', parse: numberText({ minimum: 0 }) },
    backlog: { type: 'string', default: '100000', parse: wholeNumber({ minimum: 0 }) },
    faults: { type: 'string' },
    pgbouncer: { type: 'string', parse: choiceText(/** @type {const} */ (['session', 'transaction'])) },
    python: { type: 'string' },
    out: { type: 'string' },
    logs: { type: 'string' },
    built: { type: 'boolean' },
    'broker-cluster': { type: 'boolean' },
  },
});
const { seed, minutes, rate, backlog } = flags;

prepareWorkspace({ build: !flags.built });
// Imported only now, because the packages that they need have just been installed.
const { chooseFaults } = await import('./faults/all-faults.mjs');
const { runBrokerCluster } = await import('./broker-cluster.mjs');
const { printReport } = await import('./print-report.mjs');
const { runChaos } = await import('./run-chaos.mjs');
const { reasonsAgainst } = await import('./verdict.mjs');

/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);
if (flags['broker-cluster']) {
  const only = flags.faults?.split(',').map((id) => id.trim().toUpperCase());
  const report = await runBrokerCluster({ seed, rate, only, logFile: flags.logs, print }).catch((error) => {
    print(`${error.stack}\n\nverdict: broken (the chaos run did not complete)`);
    process.exit(1);
  });
  const { reasons } = report;
  const verdict = reasons.length === 0 ? 'held' : `broken (${reasons.join('; ')})`;
  if (flags.out !== undefined)
    writeFileSync(flags.out, `${JSON.stringify({ seed, rate, verdict, ...report }, null, 2)}\n`);
  print(`\nverdict: ${verdict}`);
  process.exit(reasons.length === 0 ? 0 : 1);
}
const faults = chooseFaults(flags.faults, {
  hasPooler: flags.pgbouncer !== undefined,
  hasPython: flags.python !== undefined,
});
const isAlone = faults.length === 1;
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

print(`seed ${seed}, ${isAlone ? faults[0].id : `${minutes} minutes`}, ${rate} arrivals per second`);
const report = await runChaos({
  seed,
  minutes,
  rate,
  backlog,
  pgbouncer: flags.pgbouncer,
  python: flags.python,
  faults,
  isAlone,
  logFile: flags.logs,
  print,
  signal: interrupted.signal,
}).catch((error) => {
  print(`${error.message}\n\nverdict: broken (the chaos run did not complete)`);
  process.exit(1);
});
printReport(report, isAlone ? faults[0] : undefined, print);
const reasons = reasonsAgainst(report, { minutes, hasAllFaults: flags.faults === undefined });
const verdict = reasons.length === 0 ? 'held' : `broken (${reasons.join('; ')})`;
if (flags.out !== undefined)
  writeFileSync(flags.out, `${JSON.stringify({ seed, minutes, rate, verdict, ...report }, null, 2)}\n`);
print(`\nverdict: ${verdict}`);
// Handles that a fault left open must not keep the process alive.
process.exit(reasons.length === 0 ? 0 : 1);
