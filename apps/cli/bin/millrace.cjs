#!/usr/bin/env node
// `npx millrace …` in this repository.
const path = require('path');

process.argv.splice(2, 0, 'tools/millrace.mjs');
require(path.join(__dirname, '..', '..', '..', 'tools', 'node', 'run.cjs'));
