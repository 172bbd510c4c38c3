// `node tools/node/run.cjs <script or program> [arguments]`: runs a script of this repository, or a program of one of
// its packages such as `nx`, on a Node that `engines` allows: on this one, or else on the one that this repository pins.
// Runs on the machine's Node: no syntax newer than Node 10.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const { continueOnPinnedNode } = require('./continue-on-pinned-node.cjs');
const { isNodeNewEnough } = require('./pinned-node.cjs');

const name = process.argv[2] || '';
const root = path.join(__dirname, '..', '..');
const isScript = name.includes('/');
const file = isScript ? path.join(root, name) : path.join(root, 'node_modules', '.bin', name);
if (name === '' || !fs.existsSync(file)) {
  console.error(name === '' ? 'usage: node tools/node/run.cjs <script or program> [arguments]' : missing());
  process.exit(1);
}
const script = fs.realpathSync(file);
if (isNodeNewEnough()) {
  process.argv.splice(1, 2, script);
  // In this process, as if Node had been started with the script, so that signals reach the script directly.
  Module.runMain();
} else {
  continueOnPinnedNode([script].concat(process.argv.slice(3)));
}

function missing() {
  return isScript ? `${name} does not exist.` : `${name} is not installed yet: run "npm ci" first.`;
}
