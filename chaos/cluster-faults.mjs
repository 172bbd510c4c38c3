import { setTimeout as pause } from 'node:timers/promises';
import { require, requireFrozen, requireEnded } from './faults/evidence.mjs';

/** @import { BrokerNode } from '../tools/services/private-rabbitmq-cluster.mjs' */

/**
 * @typedef {object} Cluster
 * @property {readonly BrokerNode[]} nodes
 * @property {(...words: string[]) => Promise<string>} control Runs rabbitmqctl on a node that responds.
 *
 * @typedef {{ readonly cluster: Cluster, readonly note: (text: string) => void }} ClusterSite
 * @typedef {{ readonly id: string, readonly title: string, readonly inject: (site: ClusterSite) => Promise<unknown> }} ClusterFault
 */

const DOWN_MILLISECONDS = 12_000;
const FROZEN_MILLISECONDS = 20_000;
const APART_MILLISECONDS = 20_000;
const BACK_WITHIN_MILLISECONDS = 90_000;
const REJOIN_MILLISECONDS = 5_000;
const SYNC_LANE = 'runs.interactive.default';
const BACKGROUND_LANE = 'runs.background.default';

/**
 * Each is { id, title, inject }; `inject({ cluster, note })` injects the fault in one node, proves it and heals it.
 * @type {readonly ClusterFault[]}
 */
export const clusterFaults = [
  {
    id: 'C1',
    title: 'the leader of the background lane is killed',
    inject: async (site) => kill(await hostingNode(site.cluster, BACKGROUND_LANE), site),
  },
  {
    id: 'C2',
    title: 'the node of the interactive lane is killed',
    inject: async (site) => kill(await hostingNode(site.cluster, SYNC_LANE), site),
  },
  {
    id: 'C3',
    title: 'the node of the interactive lane is frozen for 20 s',
    inject: async (site) => freeze(await hostingNode(site.cluster, SYNC_LANE), site),
  },
  ...[0, 1, 2].map((index) => ({
    id: `C${4 + index}`,
    title: `node ${index + 1} is frozen for 20 s`,
    inject: (/** @type {ClusterSite} */ site) => freeze(site.cluster.nodes[index], site),
  })),
  {
    id: 'C7',
    title: 'a node is cut off from the others for 20 s (pause_minority)',
    inject: (site) => cutOff(site.cluster.nodes[2], site),
  },
];

/**
 * @param {BrokerNode} node
 * @param {ClusterSite} site
 */
async function kill(node, { cluster, note }) {
  const pid = node.pid();
  await node.kill();
  try {
    await requireEnded(pid);
    note(`${node.name} (${pid}) was killed`);
    await pause(DOWN_MILLISECONDS);
  } finally {
    await node.start();
  }
  await whole(cluster);
  note(`${node.name} has rejoined`);
  return { node: node.name };
}

/**
 * @param {BrokerNode} node
 * @param {ClusterSite} site
 */
async function freeze(node, { cluster, note }) {
  node.freeze();
  try {
    await pause(200);
    requireFrozen(node.pid());
    note(`${node.name} is frozen`);
    await pause(FROZEN_MILLISECONDS);
  } finally {
    node.thaw();
  }
  note(`${node.name} continues`);
  const isBack = await whole(cluster, REJOIN_MILLISECONDS).then(
    () => true,
    () => false,
  );
  if (!isBack) {
    // The node reconnects to the others before it checks for a majority, so it does not pause (RabbitMQ 3.10).
    note(`${node.name} does not rejoin and is restarted`);
    await node.stop();
    await node.start();
    await whole(cluster);
  }
  note('the cluster is whole');
  return { node: node.name, isRestarted: !isBack };
}

/**
 * Cuts a node off: nodes that do not accept each other's cookie cannot connect, as if their network were cut.
 * @param {BrokerNode} node
 * @param {ClusterSite} site
 */
async function cutOff(node, { cluster, note }) {
  const others = cluster.nodes.filter((one) => one !== node);
  const list = others.map(({ name }) => `'${name}'`).join(', ');
  const cookie = (await node.control('eval', 'erlang:get_cookie().')).trim();
  await node.control(
    'eval',
    `[begin erlang:set_cookie(N, apart), erlang:disconnect_node(N) end || N <- [${list}]].`,
  );
  try {
    await pause(3_000);
    const running = await runningNodes(others[0]);
    require(!running.includes(node.name), `${node.name} is still in the cluster`);
    note(`${node.name} is cut off`);
    await pause(APART_MILLISECONDS);
  } finally {
    await node.control('eval', `[erlang:set_cookie(N, ${cookie}) || N <- [${list}]].`);
  }
  await whole(cluster);
  note('the cluster is whole');
  return { node: node.name };
}

/**
 * Resolves to the node of a classic queue, or of the leader of a quorum queue.
 * @param {Cluster} cluster
 * @param {string} queue
 */
async function hostingNode({ nodes, control }, queue) {
  const lines = await control('--silent', 'list_queues', 'name', 'leader', 'pid');
  const [, leader = '', pid = ''] =
    lines
      .split('\n')
      .find((line) => line.startsWith(`${queue}\t`))
      ?.split('\t') ?? [];
  const home = nodes.find(({ name }) => leader === name || (leader === '' && pid.includes(name)));
  require(home !== undefined, `${queue} has no node: "${leader}" "${pid}"`);
  return home;
}

/**
 * Resolves when all nodes are in the cluster.
 * @param {Pick<Cluster, 'nodes'>} cluster
 */
async function whole({ nodes }, timeoutMilliseconds = BACK_WITHIN_MILLISECONDS) {
  const end = Date.now() + timeoutMilliseconds;
  for (;;) {
    const view = await runningNodes(nodes[0]).catch(() => []);
    if (view.length === nodes.length) return;
    require(Date.now() < end, 'not all nodes rejoined the cluster');
    await pause(1_000);
  }
}

/**
 * @param {BrokerNode} node
 * @returns {Promise<readonly string[]>}
 */
async function runningNodes(node) {
  const text = await node.running();
  return text.match(/[\w.-]+@[\w.-]+/g) ?? [];
}
