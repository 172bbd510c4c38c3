// Finds or installs the Node that this repository pins. Runs on the machine's Node: no syntax newer than Node 10.
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

/**
 * @typedef {object} Pin An entry of package-lock.json.
 * @property {string} version
 * @property {string} [resolved]
 * @property {string} [integrity]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 */

const INSTALL_MILLISECONDS = 15 * 60000;
const LEFTOVER_MILLISECONDS = 60 * 60000;
const ROOT = path.join(__dirname, '..', '..');
const WANTED = require('../../package.json').engines.node.replace(/^\D*(\d+(\.\d+)?).*$/, '$1');
/** @type {Record<string, Pin | undefined>} */
const PINNED = JSON.parse(fs.readFileSync(path.join(__dirname, 'package-lock.json'), 'utf8')).packages;

/** Returns whether `engines` in package.json allows the Node that runs this. */
function isNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor = 0] = WANTED.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/**
 * Returns the path of the pinned Node, and installs it below `.node/` first if it is missing. Throws an error whose
 * message is for the terminal when this platform has no package or npm fails.
 */
function pinnedNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const pin = PINNED[`node_modules/${name}`];
  try {
    if (pin === undefined || usesMusl())
      throw new Error(`npm has no Node ${WANTED} for this platform (${platformName()}).`);
    const folder = path.join(ROOT, '.node', `${process.platform}-${process.arch}-${pin.version}`);
    const program = path.join(folder, 'bin', 'node');
    if (!fs.existsSync(program)) install(name, pin, folder);
    return program;
  } catch (error) {
    throw new Error(
      `Millrace needs Node ${WANTED} or newer; this is Node ${process.versions.node}. ${messageOf(error)} ` +
        `Install Node ${WANTED} (https://nodejs.org/) and try again.`,
      { cause: error },
    );
  }
}

/**
 * Installs to a temporary folder and renames it, so that parallel processes do not interfere.
 * @param {string} name
 * @param {Pin} pin
 * @param {string} folder
 */
function install(name, pin, folder) {
  const parent = path.dirname(folder);
  fs.mkdirSync(parent, { recursive: true });
  removeLeftovers(parent);
  console.error(
    `Millrace needs Node ${WANTED}; this is Node ${process.versions.node}. Installing Node ${pin.version} below .node/`,
  );
  const work = fs.mkdtempSync(path.join(parent, 'install-'));
  try {
    writeManifest(work, name, pin);
    runNpm(work);
    const installed = path.join(work, 'node_modules', name);
    checkThatItRuns(path.join(installed, 'bin', 'node'), pin.version);
    try {
      fs.renameSync(installed, folder);
    } catch (error) {
      // Another process can have installed the same version in the meantime.
      if (!fs.existsSync(path.join(folder, 'bin', 'node'))) throw error;
    }
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Writes a manifest and a lock file with the package of this platform as a regular dependency: npm ignores failures of
 * optional ones.
 * @param {string} work
 * @param {string} name
 * @param {Pin} pin
 */
function writeManifest(work, name, pin) {
  const manifest = { name: 'millrace-node', private: true, dependencies: { [name]: pin.version } };
  const { version, resolved, integrity, os, cpu } = pin;
  const packages = { '': manifest, [`node_modules/${name}`]: { version, resolved, integrity, os, cpu } };
  /**
   * @param {string} file
   * @param {object} content
   */
  const write = (file, content) => fs.writeFileSync(path.join(work, file), JSON.stringify(content));
  write('package.json', manifest);
  write('package-lock.json', { name: 'millrace-node', lockfileVersion: 3, requires: true, packages });
}

/** @param {string} work */
function runNpm(work) {
  const words = ['ci', '--prefix', work, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const ownNpm = process.env.npm_execpath || '';
  const [program, given] = ownNpm.endsWith('npm-cli.js')
    ? [process.execPath, [ownNpm].concat(words)]
    : ['npm', words];
  const { status, error } = spawnSync(program, given, {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_MILLISECONDS,
  });
  if (error !== undefined) throw new Error(`npm cannot run: ${error.message}.`);
  if (status !== 0) throw new Error('npm could not install it.');
}

/**
 * Throws when the binary does not run, for example because the C library is too old.
 * @param {string} program
 * @param {string} version
 */
function checkThatItRuns(program, version) {
  const { stdout, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 60000 });
  if (stdout && stdout.trim() === `v${version}`) return;
  const reason = ((error && error.message) || stderr || `it printed "${stdout}"`).trim().split('\n')[0];
  throw new Error(`Node ${version} from npm does not run on this machine: ${reason}.`);
}

/**
 * Deletes folders of installations that were killed.
 * @param {string} parent
 */
function removeLeftovers(parent) {
  for (const entry of fs.readdirSync(parent)) {
    const leftover = path.join(parent, entry);
    if (entry.startsWith('install-') && Date.now() - fs.statSync(leftover).mtimeMs > LEFTOVER_MILLISECONDS)
      fs.rmSync(leftover, { recursive: true, force: true });
  }
}

function usesMusl() {
  if (process.platform !== 'linux') return false;
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const report = process.report.getReport();
  return report.header === undefined || report.header.glibcVersionRuntime === undefined;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

function platformName() {
  return `${process.platform} ${process.arch}${usesMusl() ? ' with musl' : ''}`;
}

module.exports = { isNodeNewEnough, pinnedNode };
