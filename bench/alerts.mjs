// `npm run alerts`: brings a scaled system into the fault of each alert, with a Prometheus that evaluates the rules of
// deploy/observability with shorter times, and prints when each alert fires and clears.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { acquireServices, servicesOption } from '../tools/services/acquire-services.mjs';

const { values: flags } = readCommandLine({
  usage: `npm run alerts -- [options]
  --faults <ids>     only these faults, comma separated (bench/README.md lists them)
  --shorten <n>      divides the times of the rules by this; 20; with 1 they stay as they are
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --built            skips the build
  --help`,
  options: {
    faults: { type: 'string' },
    shorten: { type: 'string', default: '20', parse: wholeNumber({ minimum: 1, maximum: 60 }) },
    services: servicesOption,
    built: { type: 'boolean' },
  },
});

prepareWorkspace({ build: !flags.built });
// Imported only now, because a fresh checkout had no packages.
const { chooseFaults } = await import('./alerts/faults.mjs');
const { runFault } = await import('./alerts/run-fault.mjs');
const { openWatchedSystem } = await import('./alerts/watched-system.mjs');

const faults = chooseFaults(flags.faults);
const services = await acquireServices({
  only: flags.services,
  names: ['broker', 'keyValue', 'database', 'prometheus'],
});
/** @type {Awaited<ReturnType<typeof openWatchedSystem>> | undefined} */
let system;
/** @type {Promise<void> | undefined} */
let closing;
const close = () =>
  (closing ??= (async () => {
    await system?.close();
    await services.stop();
  })());
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => void close().finally(() => process.exit(1)));

let failures = 0;
try {
  system = await openWatchedSystem({ services, shorten: flags.shorten });
  console.log('\n| fault | alert | fired after, s | cleared after, s |\n| --- | --- | --- | --- |');
  for (const fault of faults) {
    for (const { alert, fired, cleared, summary } of await runFault(fault, system)) {
      if (fired === null || cleared === null) failures += 1;
      const row = [
        `${fault.id}: ${fault.title}`,
        `${alert}: ${summary}`,
        fired ?? 'never',
        cleared ?? 'never',
      ];
      console.log(`| ${row.join(' | ')} |`);
    }
  }
} finally {
  await close();
}
console.log(
  failures === 0 ? '\nEach alert fired and cleared.' : `\n${failures} alerts did not fire or clear.`,
);
process.exitCode = failures === 0 ? 0 : 1;
