// `npm run scaled -- --executors 4`: gateway, ingest and executors as separate processes, with prefixed log lines.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { runScaled, scaledOptions, scaledUsage } from './scaled/run-scaled.mjs';
import { servicesOption } from './services/acquire-services.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

const { values: flags } = readCommandLine({
  usage: `npm run scaled -- [options]
${scaledUsage}
  --services <ways>  where to get the servers, tried in this order: env, local, private, compose, apt
  --help`,
  options: { ...scaledOptions, services: servicesOption },
});
await runScaled({
  flags,
  command: 'npm run scaled --',
  cli: 'npx millrace',
  ways: flags.services,
  examples: join(workspaceRoot, 'examples'),
  load: () => {
    prepareWorkspace({ build: true, onlyRun: true });
    // Imported only now, because a fresh checkout had no packages.
    return import('@millrace/scaled-system');
  },
});
process.exit(0);
