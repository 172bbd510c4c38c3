// Runs on the machine's own Node: no syntax newer than Node 10.
const { spawn } = require('child_process');
const path = require('path');
const { pinnedNode } = require('./pinned-node.cjs');

/** @type {NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Runs the pinned Node with these arguments as a child, forwards signals to it, and exits as it exits. Programs that the
 * child starts find the same Node first on the PATH.
 * @param {string[]} words
 */
function continueOnPinnedNode(words) {
  const program = pinnedNodeOrExit();
  const child = spawn(program, process.execArgv.concat(words), {
    stdio: 'inherit',
    env: Object.assign({}, process.env, {
      PATH: [path.dirname(program), process.env.PATH].filter(Boolean).join(path.delimiter),
      NODE: program,
      npm_node_execpath: program,
    }),
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) =>
    exitWith(`${program} cannot run (${error.message}): delete .node/ and try again.`),
  );
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/** @returns {string} */
function pinnedNodeOrExit() {
  try {
    return pinnedNode();
  } catch (error) {
    return exitWith(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function exitWith(message) {
  console.error(message);
  process.exit(1);
}

module.exports = { continueOnPinnedNode };
