// `npm run chaos -- --seed 7 --minutes 10`: a whole installation of its own under load, faults that strike it, and an
// oracle that compares what callers were told with what was stored and what had effects. `--faults F3` strikes with one
// alone, as often as its row in the table of goals demands. Ends with `verdict: held` or `verdict: broken (…)`.
import '../tools/require-node-version.mjs';
import '../tools/errors-as-sentences.mjs';
import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { choiceText } from '../libs/service/src/options/choice-text.cjs';
import { numberText, wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { prepareWorkspace } from '../tools/prepare-workspace.mjs';

const usage = `npm run chaos -- [options]
  --seed <n>       decides which faults strike whom and when; by the clock unless given
  --minutes <n>    how long faults strike; 10
  --rate <n>       arrivals per second; 20
  --faults <ids>   only these, comma separated; one alone strikes as often as its row demands
  --broker-cluster three nodes of RabbitMQ, one of which at a time is killed, frozen or cut off; with
                   --faults, only these of C1 to C7
  --backlog <n>    webhooks that F11 sends; 100000
  --pgbouncer <m>  puts a PgBouncer in session or transaction mode before PostgreSQL
  --out <file>     writes the report as JSON
  --logs <file>    writes what the services log
  --built          does not build
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
    pgbouncer: { type: 'string', parse: choiceText(['session', 'transaction']) },
    out: { type: 'string' },
    logs: { type: 'string' },
    built: { type: 'boolean' },
    'broker-cluster': { type: 'boolean' },
  },
});
const { seed, minutes, rate, backlog } = flags;

prepareWorkspace({ build: !flags.built });
// Only now are the packages there that these need.
const { chooseFaults } = await import('./faults/all-faults.mjs');
const { runBrokerCluster } = await import('./broker-cluster.mjs');
const { printReport } = await import('./print-report.mjs');
const { runChaos } = await import('./run-chaos.mjs');
const { reasonsAgainst } = await import('./verdict.mjs');

const print = (line) => process.stdout.write(`${line}\n`);
if (flags['broker-cluster']) {
  const only = flags.faults?.split(',').map((id) => id.trim().toUpperCase());
  const report = await runBrokerCluster({ seed, rate, only, logFile: flags.logs, print }).catch((error) => {
    print(`${error.stack}\n\nverdict: broken (it did not come to its end)`);
    process.exit(1);
  });
  const { reasons } = report;
  const verdict = reasons.length === 0 ? 'held' : `broken (${reasons.join('; ')})`;
  if (flags.out !== undefined)
    writeFileSync(flags.out, `${JSON.stringify({ seed, rate, verdict, ...report }, null, 2)}\n`);
  print(`\nverdict: ${verdict}`);
  process.exit(reasons.length === 0 ? 0 : 1);
}
const faults = chooseFaults(flags.faults, { hasPooler: flags.pgbouncer !== undefined });
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
  faults,
  isAlone,
  logFile: flags.logs,
  print,
  signal: interrupted.signal,
}).catch((error) => {
  print(`${error.message}\n\nverdict: broken (it did not come to its end)`);
  process.exit(1);
});
printReport(report, isAlone ? faults[0] : undefined, print);
const reasons = reasonsAgainst(report, { minutes, isMixed: !isAlone });
const verdict = reasons.length === 0 ? 'held' : `broken (${reasons.join('; ')})`;
if (flags.out !== undefined)
  writeFileSync(flags.out, `${JSON.stringify({ seed, minutes, rate, verdict, ...report }, null, 2)}\n`);
print(`\nverdict: ${verdict}`);
// Whatever a fault left open must not keep it from ending.
process.exit(reasons.length === 0 ? 0 : 1);
