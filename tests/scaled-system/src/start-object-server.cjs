// Starts an S3-compatible server for one test: SeaweedFS, with its data in a temporary folder.
const { spawn } = require('node:child_process');
const { createHmac } = require('node:crypto');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { freePort, waitUntil } = require('@millrace/testing');

/**
 * @typedef {object} ObjectServer
 * @property {string} endpoint
 * @property {string} url A value of MILLRACE_OBJECT_STORE_URL, with the bucket and the credentials.
 * @property {() => Promise<void>} start Starts a killed server again on its ports and data.
 * @property {() => Promise<void>} kill Sends SIGKILL.
 * @property {() => void} freeze Sends SIGSTOP: the server accepts connections and does not answer.
 * @property {() => void} thaw Sends SIGCONT.
 * @property {() => Promise<void>} stop
 */

const READY_WITHIN_MILLISECONDS = 120_000;
const ACCESS_KEY = 'millrace-test';
const SECRET_KEY = 'secret-of-millrace-test';
const BUCKET = 'millrace-test';

/**
 * @param {{ readonly program: string }} options The path of `weed`.
 * @returns {Promise<ObjectServer>}
 */
module.exports.startObjectServer = async function startObjectServer({ program }) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-objects-'));
  const words = await configure(directory);
  const endpoint = `http://127.0.0.1:${words.port}`;
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @type {Promise<unknown>} */
  let ended;
  const start = async () => {
    child = spawn(program, words.flags, { cwd: directory, stdio: 'ignore' });
    /** @type {string | undefined} */
    let failure;
    ended = new Promise((resolve) => {
      child.once('error', (error) => resolve((failure = error.message)));
      child.once('exit', (code, signal) => resolve((failure = `weed ended with ${signal ?? code}`)));
    });
    await waitUntil(() => putBucket(endpoint), {
      deadlineMilliseconds: READY_WITHIN_MILLISECONDS,
      fatalReason: () => failure,
    });
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const stop = async () => {
    await kill();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  await start().catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    endpoint,
    url: `s3://${ACCESS_KEY}:${SECRET_KEY}@${BUCKET}/tests?endpoint=${encodeURIComponent(endpoint)}`,
    start,
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop,
  };
};

/** @param {string} directory */
async function configure(directory) {
  const identity = {
    name: 'test',
    credentials: [{ accessKey: ACCESS_KEY, secretKey: SECRET_KEY }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  const configuration = join(directory, 's3.json');
  writeFileSync(configuration, JSON.stringify({ identities: [identity] }), { mode: 0o600 });
  /** @type {number[]} */
  const ports = [];
  while (ports.length < 8) ports.push(await freePort());
  const names = ['master', 'volume', 'filer', 's3'];
  return {
    port: ports[6],
    flags: [
      'server',
      '-s3',
      `-s3.config=${configuration}`,
      `-dir=${directory}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      '-volume.max=50',
      // Of fixed ports, on which a second server would end; and no report to its authors.
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
      '-master.telemetry=false',
      '-master.volumeSizeLimitMB=100',
      ...names.flatMap((name, index) => [
        `-${name}.port=${ports[2 * index]}`,
        `-${name}.port.grpc=${ports[2 * index + 1]}`,
      ]),
    ],
  };
}

/**
 * A server of which only some parts have started refuses it. SeaweedFS also accepts the version 2 of signatures, which needs no
 * client here.
 * @param {string} endpoint
 */
async function putBucket(endpoint) {
  const date = new Date().toUTCString();
  const signature = createHmac('sha1', SECRET_KEY).update(`PUT\n\n\n${date}\n/${BUCKET}`).digest('base64');
  const response = await fetch(`${endpoint}/${BUCKET}`, {
    method: 'PUT',
    headers: { date, authorization: `AWS ${ACCESS_KEY}:${signature}` },
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  // 409: it exists since the first start.
  if (!response.ok && response.status !== 409)
    throw new Error(`the bucket was refused with ${response.status}`);
}
