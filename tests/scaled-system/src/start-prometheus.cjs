// Starts a Prometheus for one test or measurement: a separate process that scrapes services of this machine.
const { spawn } = require('node:child_process');
const {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { freePort, waitUntil } = require('@millrace/testing');

/**
 * @typedef {Readonly<Record<string, readonly number[]>>} ScrapedPorts Ports on the loopback interface, by job.
 *
 * @typedef {object} PrometheusOptions
 * @property {string} program The path of the program.
 * @property {ScrapedPorts} ports
 * @property {string} [rules] The text of a file with rules.
 *
 * @typedef {object} Sample
 * @property {Readonly<Record<string, string>>} metric
 * @property {readonly [number, string]} value Unix time in seconds, and the value.
 *
 * @typedef {object} Alert
 * @property {Readonly<Record<string, string>>} labels
 * @property {Readonly<Record<string, string>>} annotations
 * @property {'pending' | 'firing'} state
 *
 * @typedef {object} ScrapedTarget
 * @property {'up' | 'down' | 'unknown'} health
 * @property {string} lastError
 *
 * @typedef {object} Prometheus
 * @property {string} url
 * @property {number} pid
 * @property {(expression: string) => Promise<readonly Sample[]>} query Rejects with Prometheus's reason for an invalid expression.
 * @property {() => Promise<readonly Alert[]>} alerts The pending and the firing ones.
 * @property {() => Promise<readonly ScrapedTarget[]>} targets
 * @property {(ports: ScrapedPorts) => void} scrape Replaces the ports that are scraped.
 * @property {() => Promise<void>} stop
 */

const READY_MILLISECONDS = 30_000;
const QUERY_MILLISECONDS = 10_000;
const STOP_MILLISECONDS = 10_000;

/**
 * Starts `program`, which scrapes the ports every second and evaluates the rules every second. Resolves to { url, pid,
 * query, alerts, targets, scrape, stop } when it is ready.
 * @param {PrometheusOptions} options
 * @returns {Promise<Prometheus>}
 */
module.exports.startPrometheus = async function startPrometheus({ program, ports, rules }) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-prometheus-'));
  const path = (/** @type {string} */ name) => join(directory, name);
  /** @param {ScrapedPorts} wanted */
  const scrape = (wanted) => {
    const groups = Object.entries(wanted).map(([job, list]) => ({
      targets: list.map((port) => `127.0.0.1:${port}`),
      labels: { job },
    }));
    // Prometheus watches the file, so it must never see a part of it.
    writeFileSync(path('targets.new'), JSON.stringify(groups));
    renameSync(path('targets.new'), path('targets.json'));
  };
  scrape(ports);
  if (rules !== undefined) writeFileSync(path('rules.yml'), rules);
  writeFileSync(path('prometheus.yml'), configuration(path('targets.json'), rules && path('rules.yml')));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(path('log'), 'a');
  const child = spawn(
    program,
    [
      `--config.file=${path('prometheus.yml')}`,
      `--storage.tsdb.path=${path('data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: directory, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  /** @type {string | undefined} */
  let failure;
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve((failure = error.message)));
    child.once('exit', (code, signal) => resolve((failure = `ended with ${signal ?? code}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
    await ended;
    clearTimeout(timer);
    rmSync(directory, { recursive: true, force: true });
  };
  const fatalReason = () =>
    failure && `Prometheus did not start: ${failure}\n${readFileSync(path('log'), 'utf8').slice(-4_000)}`;
  await waitUntil(
    async () => {
      const response = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(QUERY_MILLISECONDS) });
      if (!response.ok) throw new Error(`Prometheus is not ready: ${response.status}`);
    },
    { deadlineMilliseconds: READY_MILLISECONDS, fatalReason },
  ).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    url,
    pid: child.pid ?? NaN,
    query: async (expression) =>
      (await ask(url, `query?query=${encodeURIComponent(expression)}`, expression)).result,
    alerts: async () => (await ask(url, 'alerts')).alerts,
    targets: async () => (await ask(url, 'targets?state=active')).activeTargets,
    scrape,
    stop,
  };
};

/**
 * @param {string} targets
 * @param {string | undefined} rules
 */
function configuration(targets, rules) {
  return JSON.stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    ...(rules === undefined ? {} : { rule_files: [rules] }),
    scrape_configs: [
      { job_name: 'millrace', file_sd_configs: [{ files: [targets], refresh_interval: '1s' }] },
    ],
  });
}

/**
 * @param {string} url
 * @param {string} path
 * @param {string} [about]
 * @returns {Promise<any>}
 */
async function ask(url, path, about = path) {
  const response = await fetch(`${url}/api/v1/${path}`, { signal: AbortSignal.timeout(QUERY_MILLISECONDS) });
  const answer = /** @type {{ status: string, error?: string, data: unknown }} */ (await response.json());
  if (answer.status !== 'success') throw new Error(`${answer.error}: ${about}`);
  return answer.data;
}
