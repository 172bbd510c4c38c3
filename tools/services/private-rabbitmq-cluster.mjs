import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort, waitUntil } from '../../tests/kit/src/index.cjs';
import { startServerProcess } from './server-process.mjs';
import { requireProgramFolder, stopPortMapper } from './private-rabbitmq.mjs';
import { rabbitmqVersion } from './server-clients.mjs';
import { runCommand } from './run-command.mjs';

/** @import { ServerProcess } from './server-process.mjs' */

/** @typedef {Awaited<ReturnType<typeof prepareNode>>} BrokerNode */

const NODES = 3;
/** As docs/operate/broker.md recommends: the other nodes remove a frozen node within eight seconds. */
const CONFIGURATION = `disk_free_limit.absolute = 50MB
cluster_partition_handling = pause_minority
net_ticktime = 5
queue_leader_locator = balanced
`;
/** The failure detector of quorum queues polls every second instead of every five. */
const ADVANCED = '[{aten, [{poll_interval, 1000}]}].\n';

/**
 * Starts three nodes of one cluster on the loopback interface. Resolves to { nodes, urls, control, queues, stop }; a
 * node is { name, url, pid, kill, start, freeze, thaw, control }.
 * @param {{ readonly directory: string }} options
 */
export async function startPrivateRabbitmqCluster({ directory }) {
  mkdirSync(directory, { recursive: true });
  const mapperPort = await freePort();
  const cookie = randomBytes(10).toString('hex').toUpperCase();
  const mark = randomBytes(3).toString('hex');
  /** @type {BrokerNode[]} */
  const nodes = [];
  const stop = async () => {
    for (const node of nodes) node.thaw();
    await Promise.all(nodes.map((node) => node.stop()));
    if (nodes.length > 0) await stopPortMapper(nodes[0].environment);
  };
  try {
    for (let number = 1; number <= NODES; number += 1)
      nodes.push(
        await prepareNode({ directory: join(directory, `node${number}`), number, mark, mapperPort, cookie }),
      );
    // Sequentially, because the first node starts the port mapper for all.
    for (const node of nodes) await node.start();
    for (const node of nodes.slice(1)) {
      await node.control('stop_app');
      await node.control('join_cluster', nodes[0].name);
      await node.control('start_app');
    }
    for (const node of nodes)
      await waitUntil(() => rabbitmqVersion(node.url), { deadlineMilliseconds: 60_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, urls: nodes.map(({ url }) => url), stop };
}

/**
 * @param {object} options
 * @param {string} options.directory
 * @param {number} options.number
 * @param {string} options.mark
 * @param {number} options.mapperPort
 * @param {string} options.cookie
 */
async function prepareNode({ directory, number, mark, mapperPort, cookie }) {
  mkdirSync(directory, { recursive: true });
  const [port, distributionPort] = [await freePort(), await freePort()];
  /**
   * @param {string} name
   * @param {string} text
   * @param {number} [mode]
   */
  const file = (name, text, mode = 0o644) => {
    writeFileSync(join(directory, name), text, { mode });
    return join(directory, name);
  };
  file('.erlang.cookie', cookie, 0o400);
  const name = `node${number}${mark}@localhost`;
  const environment = {
    PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(':'),
    LANG: 'C.UTF-8',
    HOME: directory,
    RABBITMQ_NODENAME: name,
    RABBITMQ_DIST_PORT: String(distributionPort),
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_CONFIG_FILE: file(
      'rabbitmq.conf',
      `listeners.tcp.default = 127.0.0.1:${port}\n${CONFIGURATION}`,
    ),
    RABBITMQ_ADVANCED_CONFIG_FILE: file('advanced.config', ADVANCED),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins', '[].\n'),
    RABBITMQ_MNESIA_BASE: join(directory, 'mnesia'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
    // Three nodes share one machine, so each gets one scheduler.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1',
  };
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  /** @type {ServerProcess | undefined} */
  let server;
  /**
   * @param {string} program
   * @returns {(...words: string[]) => Promise<string>}
   */
  const tool =
    (program) =>
    (...words) =>
      runCommand(join(requireProgramFolder(), program), words, {
        environment,
        deadlineMilliseconds: 120_000,
      });
  const log = join(directory, 'server.log');
  return {
    name,
    url,
    environment,
    pid: () => server?.pid,
    async start() {
      server = startServerProcess(join(requireProgramFolder(), 'rabbitmq-server'), [], {
        environment,
        log,
        stopMilliseconds: 20_000,
      });
      await waitUntil(() => rabbitmqVersion(url), {
        deadlineMilliseconds: 120_000,
        fatalReason: server.endReason,
      });
    },
    kill: async () => server?.kill(),
    freeze: () => server?.freeze(),
    thaw: () => server?.thaw(),
    stop: async () => server?.stop(),
    log: () => readFileSync(log, 'utf8'),
    control: tool('rabbitmqctl'),
    queues: tool('rabbitmq-queues'),
    /** Resolves to the names of the running nodes, seen by this one. erl_call is faster: rabbitmqctl starts an Erlang node. */
    running: () =>
      runCommand('erl_call', ['-c', cookie, '-name', name, '-a', 'rabbit_nodes all_running []'], {
        environment,
        deadlineMilliseconds: 10_000,
      }).catch(() => tool('rabbitmqctl')('--silent', 'eval', 'rabbit_nodes:all_running().')),
  };
}
