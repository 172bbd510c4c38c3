// Node-RED, installed in a separate folder that is kept: none of its packages are packages of this workspace.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitUntil } from '@millrace/testing';

const VERSION = '5.0.7';
const INSTALL_MILLISECONDS = 600_000;
const READY_WITHIN_MILLISECONDS = 60_000;
const STOP_MILLISECONDS = 5_000;

/**
 * Installs Node-RED below `folder` with npm unless it is installed.
 * @param {string} folder
 * @param {(line: string) => void} print
 */
export function installNodeRed(folder, print) {
  if (installedVersion(folder) === VERSION) return;
  print(`Installing node-red@${VERSION} in ${folder}`);
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}\n');
  const words = ['install', '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund'];
  const { status, stderr, error } = spawnSync('npm', [...words, `node-red@${VERSION}`], {
    cwd: folder,
    timeout: INSTALL_MILLISECONDS,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`installing Node-RED failed: ${error?.message ?? stderr.slice(-1_000)}`);
}

/**
 * Starts Node-RED with one flow that answers POST /run with its input; resolves to { url, version, stop } when it
 * responds.
 * @param {string} folder
 */
export async function startNodeRed(folder) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-node-red-'));
  const port = await freePort();
  writeFileSync(join(directory, 'flows.json'), JSON.stringify(echoFlow));
  writeFileSync(join(directory, 'settings.js'), `module.exports = ${JSON.stringify(settings(port))};\n`);
  const program = join(folder, 'node_modules', 'node-red', 'red.js');
  const words = [program, '--settings', join(directory, 'settings.js'), '--userDir', directory];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
    await exited;
    clearTimeout(timer);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntil(() => requireEcho(`${url}/run`), {
      deadlineMilliseconds: READY_WITHIN_MILLISECONDS,
      fatalReason: () => (child.exitCode === null ? undefined : `Node-RED exited with ${child.exitCode}`),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, version: installedVersion(folder), stop };
}

/**
 * Returns settings without an editor and with error logs only.
 * @param {number} port
 */
function settings(port) {
  return {
    uiPort: port,
    uiHost: '127.0.0.1',
    httpAdminRoot: false,
    flowFile: 'flows.json',
    telemetry: { enabled: false, updateNotification: false },
    logging: { console: { level: 'error', metrics: false, audit: false } },
  };
}

const echoFlow = [
  { id: 'tab', type: 'tab', label: 'echo' },
  { id: 'in', z: 'tab', type: 'http in', url: '/run', method: 'post', wires: [['echo']] },
  {
    id: 'echo',
    z: 'tab',
    type: 'change',
    rules: [{ t: 'move', p: 'payload.input_value', pt: 'msg', to: 'payload.text', tot: 'msg' }],
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', statusCode: '200', wires: [] },
];

/** @param {string} url */
async function requireEcho(url) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input_value":"hello"}',
    signal: AbortSignal.timeout(READY_WITHIN_MILLISECONDS),
  });
  const text = await answer.text();
  if (!text.includes('"text":"hello"')) throw new Error(`Node-RED is not ready: ${text.slice(0, 300)}`);
}

/**
 * @param {string} folder
 * @returns {string | undefined}
 */
function installedVersion(folder) {
  const manifest = join(folder, 'node_modules', 'node-red', 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}
