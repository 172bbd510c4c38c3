#!/usr/bin/env node
// The command `millrace` of the npm package: `millrace up` starts everything in this process, `millrace up --scaled` the services as
// processes, every other command is that of the command line.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

let app = 'cli';
if (process.argv[2] === 'up') {
  const place = process.argv.indexOf('--scaled');
  app = place > 0 ? 'scaled' : 'standalone';
  if (place > 0) process.argv.splice(place, 1);
  process.argv.splice(2, 1);
}
const program = fileURLToPath(new URL(`../../dist/apps/${app}/main.cjs`, import.meta.url));
createRequire(import.meta.url)(program);
