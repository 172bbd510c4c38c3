#!/usr/bin/env node
// The command `millrace` of the npm package: `millrace up` starts everything in this process, every other command is that of the
// command line.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const app = process.argv[2] === 'up' ? 'standalone' : 'cli';
if (app === 'standalone') process.argv.splice(2, 1);
const program = fileURLToPath(new URL(`../../dist/apps/${app}/main.cjs`, import.meta.url));
createRequire(import.meta.url)(program);
