// `node tools/node/run.cjs bench/floods.mjs`: what one tenant that floods does to another, held by limits and by fairness alone.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { choicesText } from '../libs/service/src/text/choice-text.cjs';
import { numberText, wholeNumber } from '../libs/service/src/text/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';

const FORMS = /** @type {const} */ (['sync', 'webhook', 'stream', 'files', 'bad-keys', 'console']);
const { values: flags } = readCommandLine({
  usage: `node tools/node/run.cjs bench/floods.mjs [options]
  --forms <names>    some of ${FORMS.join(', ')} (comma separated)
  --seconds <n>      how long each measurement takes; 10
  --rate <n>         requests a second of the other tenant, in each of two forms; 20
  --processors <n>   of the flood; 0.5
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --built            skips the build
  --help`,
  options: {
    forms: { type: 'string', parse: choicesText(FORMS) },
    seconds: { type: 'string', default: '10', parse: numberText({ above: 0 }) },
    rate: { type: 'string', default: '20', parse: wholeNumber({ minimum: 1 }) },
    processors: { type: 'string', default: '0.5', parse: numberText({ above: 0 }) },
    services: servicesOption,
    built: { type: 'boolean' },
  },
});

prepareWorkspace({ build: !flags.built });
// Imported only now, because a fresh checkout had no packages.
const { BenchEnvironment } = await import('./bench-environment.mjs');
const { environment } = await import('./environment.mjs');
const { measureFloods } = await import('./floods/measure-floods.mjs');

const { revision, processor, processors, loadBefore } = environment();
console.log(`${revision.slice(0, 8)}, ${processors} × ${processor}, load ${loadBefore.toFixed(1)}`);
const benchEnvironment = new BenchEnvironment({ services: flags.services, seconds: flags.seconds });
try {
  await measureFloods(benchEnvironment, { ...flags, forms: flags.forms ?? FORMS });
} finally {
  await benchEnvironment.close();
}
