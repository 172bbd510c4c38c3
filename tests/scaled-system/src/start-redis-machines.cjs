// Starts Redis with Sentinels, or a Redis Cluster, for one test.
const { execFile, spawn } = require('node:child_process');
const { once } = require('node:events');
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { freePort, waitUntil } = require('@millrace/testing');

const run = promisify(execFile);
const PROGRAM = 'redis-server';
const DEADLINE = { deadlineMilliseconds: 60_000 };
/** After this time without an answer a server counts as down. */
const DOWN_AFTER_MILLISECONDS = 1_000;

/**
 * @typedef {object} RedisNode
 * @property {number} port
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} kill Sends SIGKILL.
 * @property {(...words: string[]) => Promise<string>} command Sends a command with redis-cli.
 *
 * @typedef {object} RedisMachinesOptions
 * @property {string | undefined} [password]
 * @property {{ readonly ca: string, readonly server: readonly [string, string], readonly client: readonly [string, string] } | undefined} [tls] Paths of PEM files, certificate and key
 *   for both sides of a connection; the servers then accept only connections over TLS.
 *
 * @typedef {object} RedisMachines
 * @property {string} url
 * @property {readonly RedisNode[]} nodes Without the Sentinels.
 * @property {() => Promise<RedisNode>} primary The node that accepts writes; of a cluster, that of `key`.
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a primary, a replica and three Sentinels.
 * @param {RedisMachinesOptions} [options]
 * @returns {Promise<RedisMachines>}
 */
module.exports.startRedisSentinels = async function startRedisSentinels({ password, tls } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-redis-sentinels-'));
  const common = { parent: directory, tls };
  const secret = password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`];
  const first = await startNode({ ...common, lines: secret, password });
  const second = await startNode({
    ...common,
    lines: [...secret, `replicaof 127.0.0.1 ${first.port}`],
    password,
  });
  const nodes = [first, second];
  const sentinels = await Promise.all(
    [0, 1, 2].map(() =>
      startNode({
        ...common,
        lines: [
          `sentinel monitor mymaster 127.0.0.1 ${first.port} 2`,
          `sentinel down-after-milliseconds mymaster ${DOWN_AFTER_MILLISECONDS}`,
          'sentinel failover-timeout mymaster 5000',
          ...(password === undefined ? [] : [`sentinel auth-pass mymaster ${password}`]),
        ],
        words: ['--sentinel'],
      }),
    ),
  );
  const [watcher] = sentinels;
  const describe = async () => (await watcher?.command('sentinel', 'master', 'mymaster')) ?? '';
  await waitUntil(async () => {
    const text = await describe();
    if (valueOf(text, 'num-slaves') !== '1' || valueOf(text, 'num-other-sentinels') !== '2')
      throw new Error('the Sentinels do not know each other and the replica');
  }, DEADLINE);
  const login = loginOf(password);
  return {
    url: `redis${tls ? 's' : ''}+sentinel://${login}${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/mymaster`,
    nodes,
    async primary() {
      const port = Number(valueOf(await describe(), 'port'));
      return found(nodes.find((node) => node.port === port));
    },
    stop: () => stopAll(directory, [...sentinels, ...nodes]),
  };
};

/**
 * Starts a cluster of three primaries with a replica each.
 * @param {RedisMachinesOptions} [options]
 * @returns {Promise<RedisMachines & { primaryOf(key: string): Promise<RedisNode> }>}
 */
module.exports.startRedisCluster = async function startRedisCluster({ password, tls } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-redis-cluster-'));
  const common = { parent: directory, tls };
  const secret = password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`];
  const lines = [...secret, 'cluster-enabled yes', `cluster-node-timeout ${DOWN_AFTER_MILLISECONDS}`];
  /** @type {RedisNode[]} */
  const nodes = [];
  for (let index = 0; index < 6; index += 1) nodes.push(await startNode({ ...common, lines, password }));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await run('redis-cli', [
    ...wordsOf({ password, tls }),
    '--cluster',
    'create',
    ...addresses,
    '--cluster-replicas',
    '1',
    '--cluster-yes',
  ]);
  await waitUntil(async () => {
    for (const node of nodes) {
      const info = await node.command('cluster', 'info');
      if (!info.includes('cluster_state:ok') || !info.includes('cluster_known_nodes:6'))
        throw new Error('the cluster is not ready');
    }
    const roles = await Promise.all(nodes.map((node) => node.command('info', 'replication')));
    if (roles.filter((text) => text.includes('master_link_status:up')).length !== 3)
      throw new Error('the replicas are not in step');
  }, DEADLINE);
  /** @param {string} key */
  const primaryOf = async (key) => {
    for (const node of nodes) {
      // A node that does not serve the slot answers with MOVED; one that is down does not answer.
      const answer = await node.command('get', key).catch(() => 'MOVED');
      const role = await node.command('role').catch(() => '');
      if (!answer.includes('MOVED') && role.startsWith('master')) return node;
    }
    throw new Error('no node serves the key');
  };
  return {
    url: `redis${tls ? 's' : ''}+cluster://${loginOf(password)}${addresses.slice(0, 3).join(',')}`,
    nodes,
    primary: () => primaryOf('key'),
    primaryOf,
    stop: () => stopAll(directory, nodes),
  };
};

/**
 * @param {RedisMachinesOptions & { parent: string, lines: readonly string[], words?: readonly string[] }} options
 * @returns {Promise<RedisNode>}
 */
async function startNode({ parent, lines, password, tls, words = [] }) {
  const port = await freePort();
  const directory = join(parent, String(port));
  mkdirSync(directory);
  const file = join(directory, 'redis.conf');
  // The port of a cluster's bus is chosen as well: the usual one is 10,000 higher and may be taken.
  const bus = lines.includes('cluster-enabled yes') ? [`cluster-port ${await freePort()}`] : [];
  const ports = tls === undefined ? [`port ${port}`] : ['port 0', `tls-port ${port}`, ...linesOf(tls)];
  const common = [...ports, 'bind 127.0.0.1', `dir ${directory}`, ...bus];
  const storage = words.includes('--sentinel')
    ? []
    : ['save ""', 'appendonly no', 'repl-diskless-sync-delay 0'];
  writeFileSync(file, [...common, ...storage, ...lines, ''].join('\n'));
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  const login = wordsOf({ password, tls });
  /** @param {...string} parts */
  const command = async (...parts) =>
    (await run('redis-cli', ['-p', String(port), ...login, ...parts], { timeout: 5_000 })).stdout;
  const start = async () => {
    child = spawn(PROGRAM, [file, ...words], { stdio: 'ignore' });
    await waitUntil(async () => {
      if (!(await command('ping')).includes('PONG')) throw new Error('Redis does not answer');
    }, DEADLINE);
  };
  await start();
  return {
    port,
    start,
    command,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @param {NonNullable<RedisMachinesOptions['tls']>} tls */
function linesOf({ ca, server, client }) {
  return [
    `tls-ca-cert-file ${ca}`,
    `tls-cert-file ${server[0]}`,
    `tls-key-file ${server[1]}`,
    `tls-client-cert-file ${client[0]}`,
    `tls-client-key-file ${client[1]}`,
    'tls-auth-clients optional',
    'tls-replication yes',
    'tls-cluster yes',
  ];
}

/**
 * Returns the words with which redis-cli connects.
 * @param {RedisMachinesOptions} options
 */
function wordsOf({ password, tls }) {
  return [
    ...(password === undefined ? [] : ['-a', password, '--no-auth-warning']),
    ...(tls === undefined ? [] : ['--tls', '--cacert', tls.ca]),
  ];
}

/** @param {string | undefined} password */
function loginOf(password) {
  return password === undefined ? '' : `:${encodeURIComponent(password)}@`;
}

/**
 * @param {string} directory
 * @param {readonly RedisNode[]} nodes
 */
async function stopAll(directory, nodes) {
  await Promise.all(nodes.map((node) => node.kill()));
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Returns the value after a name in an answer that alternates them, line by line.
 * @param {string} text
 * @param {string} name
 */
function valueOf(text, name) {
  const lines = text.split('\n');
  return lines[lines.indexOf(name) + 1];
}

/**
 * @template T
 * @param {T | undefined} value
 * @returns {T}
 */
function found(value) {
  if (value === undefined) throw new Error('no node is the primary');
  return value;
}
