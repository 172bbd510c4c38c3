// `millrace up --scaled` of the npm package, which contains it as a bundle.
import { join } from 'node:path';
import { readCommandLine } from '../../libs/service/src/options/command-line.cjs';
import { messageOf } from '../workspace/error-fields.mjs';
import { runScaled, scaledOptions, scaledUsage } from './run-scaled.mjs';

const command = 'millrace up --scaled';
const { values: flags } = readCommandLine({
  usage: `${command} [options]
${scaledUsage}
  --help
PostgreSQL, RabbitMQ and Redis are those of DATABASE_URL, AMQP_URL and REDIS_URL, or on their usual ports of this machine.`,
  options: scaledOptions,
});
runScaled({
  flags,
  command,
  cli: 'millrace',
  ways: ['env', 'local'],
  // The bundle is in dist/apps/scaled.
  examples: join(__dirname, '..', '..', '..', 'examples'),
  load: () => import('@millrace/scaled-system'),
}).then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${process.env.MILLRACE_DEBUG === '1' ? error.stack : messageOf(error)}\n`);
    process.exit(1);
  },
);
