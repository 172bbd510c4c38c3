import { setTimeout as pause } from 'node:timers/promises';
import { require, requireFrozen, requireGone } from './faults/evidence.mjs';

const DOWN_MILLISECONDS = 12_000;
const FROZEN_MILLISECONDS = 20_000;
const APART_MILLISECONDS = 20_000;
const BACK_WITHIN_MILLISECONDS = 90_000;
const REJOIN_MILLISECONDS = 5_000;
const SYNC_LANE = 'runs.interactive.default';
const BACKGROUND_LANE = 'runs.background.default';

/** Each is { id, title, strike }; `strike({ cluster, note })` makes the fault, proves it, heals it. One node at a time. */
export const clusterFaults = [
  {
    id: 'C1',
    title: 'the leader of the background lane is killed',
    strike: async (site) => kill(await homeOf(site.cluster, BACKGROUND_LANE), site),
  },
  {
    id: 'C2',
    title: 'the home of the sync lane is killed',
    strike: async (site) => kill(await homeOf(site.cluster, SYNC_LANE), site),
  },
  {
    id: 'C3',
    title: 'the home of the sync lane is frozen for 20 s',
    strike: async (site) => freeze(await homeOf(site.cluster, SYNC_LANE), site),
  },
  ...[0, 1, 2].map((index) => ({
    id: `C${4 + index}`,
    title: `node ${index + 1} is frozen for 20 s`,
    strike: (site) => freeze(site.cluster.nodes[index], site),
  })),
  {
    id: 'C7',
    title: 'a node is cut off from the others for 20 s (pause_minority)',
    strike: (site) => cutOff(site.cluster.nodes[2], site),
  },
];

async function kill(node, { cluster, note }) {
  const pid = node.pid();
  await node.kill();
  try {
    await requireGone(pid);
    note(`${node.name} (${pid}) is gone`);
    await pause(DOWN_MILLISECONDS);
  } finally {
    await node.start();
  }
  await whole(cluster);
  note(`${node.name} is back`);
  return { node: node.name };
}

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
  note(`${node.name} goes on`);
  const isBack = await whole(cluster, REJOIN_MILLISECONDS).then(
    () => true,
    () => false,
  );
  if (!isBack) {
    // It reconnects to the others before it asks whether they are a majority, so it does not pause (RabbitMQ 3.10).
    note(`${node.name} does not come back by itself and is restarted`);
    await node.stop();
    await node.start();
    await whole(cluster);
  }
  note('the cluster is whole');
  return { node: node.name, isRestarted: !isBack };
}

/** Nodes that do not accept each other's cookie cannot connect: as if the network between them were cut. */
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

/** The node of a classic queue, or of the leader of a quorum queue. */
async function homeOf({ nodes, control }, queue) {
  const lines = await control('--silent', 'list_queues', 'name', 'leader', 'pid');
  const [, leader = '', pid = ''] =
    lines
      .split('\n')
      .find((line) => line.startsWith(`${queue}\t`))
      ?.split('\t') ?? [];
  const home = nodes.find(({ name }) => leader === name || (leader === '' && pid.includes(name)));
  require(home !== undefined, `${queue} has no home: "${leader}" "${pid}"`);
  return home;
}

/** Resolves once every node runs with all others. */
async function whole({ nodes }, patienceMilliseconds = BACK_WITHIN_MILLISECONDS) {
  const end = Date.now() + patienceMilliseconds;
  for (;;) {
    const view = await runningNodes(nodes[0]).catch(() => []);
    if (view.length === nodes.length) return;
    require(Date.now() < end, 'the cluster did not come together again');
    await pause(1_000);
  }
}

async function runningNodes(node) {
  const text = await node.running();
  return text.match(/[\w.-]+@[\w.-]+/g) ?? [];
}
