import { atLeast } from '../goals.mjs';
import { loadedSides } from '../load/loaded-sides.mjs';

/** B4: everything in one process. */
export default {
  id: 'B4',
  title: 'Chat Input → Chat Output, standalone with embedded parts, 64 connections',
  limit: 'Express: the body parsed, an answer of the same size',
  goal: 'throughput at least 0.6 of the limit, and more than Node-RED with the same flow where that is measured',
  of: 'the limit',
  async open(surroundings) {
    const bare = await surroundings.startBare('express.cjs', { needsServers: false });
    const standalone = await surroundings.startStandalone();
    const peer = await surroundings.startPeer();
    const body = { input_value: 'hello', session_id: 'bench' };
    return loadedSides(
      {
        limit: { url: `${bare.url}/run`, body, expected: 'xxx' },
        millrace: {
          url: `${standalone.url}/api/v1/run/echo`,
          headers: standalone.headers,
          body,
          expected: '"text":"hello"',
        },
        ...(peer === undefined
          ? {}
          : { nodeRed: { url: `${peer.url}/run`, body, expected: '"text":"hello"' } }),
      },
      { connections: 64 },
    );
  },
  conclude: ({ limit, millrace: { perSecond, p50, p99 }, nodeRed }) => ({
    ratio: perSecond / limit.perSecond,
    perSecond,
    p50,
    p99,
    goals: [
      atLeast('throughput beside the limit', perSecond / limit.perSecond, 0.6),
      ...(nodeRed === undefined
        ? []
        : [atLeast('throughput beside Node-RED', perSecond / nodeRed.perSecond, 1)]),
    ],
  }),
};
