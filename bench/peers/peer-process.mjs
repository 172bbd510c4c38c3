// A process of another product: in a group of its own, so that it ends with all the processes that it has started.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../tools/workspace/error-fields.mjs';
import { waitUntil } from '@millrace/testing';

/** @import { Peer } from './all-peers.mjs' */

/**
 * @typedef {object} PeerProcess
 * @property {() => Promise<void>} stop Ends the process and its children.
 * @property {() => string | undefined} endReason Why it has ended; undefined while it runs.
 *
 * @typedef {object} ProcessOptions
 * @property {string} name of the product, for messages
 * @property {string} program
 * @property {readonly string[]} words
 * @property {string} folder where its output is written and which is its working directory
 * @property {Readonly<Record<string, string>>} [environment]
 */

const STOP_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 50;
const SHOWN_CHARACTERS = 300;

/** Settings of the user would change what is measured. */
const foreignSettings = /^(LANGFLOW|LFX|RESTATE|NODE_RED)_/;

/**
 * Starts a program of a peer.
 * @param {ProcessOptions} options
 * @returns {PeerProcess}
 */
export function startPeerProcess({ name, program, words, folder, environment }) {
  const log = join(folder, 'output.log');
  const output = openSync(log, 'a');
  const own = Object.entries(process.env).filter(([variable]) => !foreignSettings.test(variable));
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...Object.fromEntries(own), DO_NOT_TRACK: '1', ...environment },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  /** @type {string | undefined} */
  let ended;
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => {
    child.once('error', (error) => {
      ended ??= `${name} did not start: ${error.message}`;
      resolve();
    });
    child.once('exit', (code, signal) => {
      const end = readFileSync(log, 'utf8').trim().slice(-SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
      ended ??= `${name} exited with ${code ?? signal}: ${end}`;
      resolve();
    });
  });
  const group = child.pid;
  const kill = () => signalGroup(group, 'SIGKILL');
  // The bench can end without stopping its peers when an error is not caught.
  process.once('exit', kill);
  return {
    endReason: () => ended,
    stop: async () => {
      signalGroup(group, 'SIGTERM');
      const end = Date.now() + STOP_MILLISECONDS;
      while (Date.now() < end && signalGroup(group, 0)) await pause(POLL_MILLISECONDS);
      kill();
      await exited;
      process.off('exit', kill);
    },
  };
}

/**
 * Runs `start` with a new temporary folder and a function that registers what has to be stopped. Resolves to what it
 * resolves to, with `stop`, which stops all of it, the last first, and removes the folder. When `start` rejects, all is
 * stopped.
 * @param {string} name
 * @param {(folder: string, onStop: (stop: () => unknown) => void) => Promise<Omit<Peer, 'stop'>>} start
 * @returns {Promise<Peer>}
 */
export async function withPeerFolder(name, start) {
  const folder = mkdtempSync(join(tmpdir(), `millrace-${name}-`));
  /** @type {(() => unknown)[]} */
  const stops = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return { ...(await start(folder, (one) => stops.push(one))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Waits until `ask` resolves, and resolves to its value. Rejects with one sentence after the deadline, when one of the
 * processes has ended, and when `signal` is aborted.
 * @template T
 * @param {string} name of the product
 * @param {readonly PeerProcess[]} processes
 * @param {{ readonly ask: () => Promise<T>, readonly deadlineMilliseconds: number, readonly signal: AbortSignal }} options
 * @returns {Promise<T>}
 */
export async function untilPeerReady(name, processes, { ask, deadlineMilliseconds, signal }) {
  const fatalReason = () =>
    signal.aborted
      ? 'interrupted'
      : processes.map(({ endReason }) => endReason()).find((reason) => reason !== undefined);
  return waitUntil(ask, { deadlineMilliseconds, fatalReason }).catch((error) => {
    if (fatalReason() !== undefined) throw error;
    const seconds = Math.round(deadlineMilliseconds / 1_000);
    throw new Error(`${name} was not ready within ${seconds} s: ${messageOf(error)}`, { cause: error });
  });
}

/**
 * Sends a request with a deadline and resolves to the JSON of the answer; rejects with an answer that is no success.
 * @param {string} url
 * @param {{ readonly method?: string, readonly headers?: Readonly<Record<string, string>>, readonly body?: unknown }} [options]
 * @returns {Promise<any>}
 */
export async function askPeer(url, { method, headers, body } = {}) {
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, SHOWN_CHARACTERS)}`);
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * Signals all processes of a group; returns whether the group exists.
 * @param {number | undefined} group
 * @param {NodeJS.Signals | 0} signal
 */
function signalGroup(group, signal) {
  if (group === undefined) return false;
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
