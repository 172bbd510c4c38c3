import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

const SERVERS = /** @type {const} */ (['broker', 'keyValue', 'database']);
const LATENCY_MILLISECONDS = 150;
const SLICE_BYTES = 7;

/** @type {Fault} */
export default {
  id: 'F7',
  title: 'latency, then data in slices of seven bytes, in front of each server in turn',
  mustHold: 'lost 0; 202 p99 ≤ 1.2 s; no timeout without an outage',
  async inject({ all, note, random, isAlone }) {
    /** @type {Record<string, { readonly delayed: number, readonly sliced: number }>} */
    const evidence = {};
    for (const server of isAlone ? SERVERS : [random.pick(SERVERS)]) {
      const proxies = all.map((service) => service.proxies[server]);
      /** @param {'delayed' | 'sliced'} name */
      const total = (name) => proxies.reduce((sum, { counts }) => sum + counts[name], 0);
      const before = { delayed: total('delayed'), sliced: total('sliced') };
      for (const proxy of proxies) proxy.set({ delayMilliseconds: LATENCY_MILLISECONDS });
      note(`${LATENCY_MILLISECONDS} ms in each direction in front of ${server}`);
      await pause(8_000);
      for (const proxy of proxies) proxy.set({ delayMilliseconds: 0, sliceBytes: SLICE_BYTES });
      note(`slices of ${SLICE_BYTES} bytes in front of ${server}`);
      await pause(5_000);
      for (const proxy of proxies) proxy.clear();
      evidence[server] = {
        delayed: total('delayed') - before.delayed,
        sliced: total('sliced') - before.sliced,
      };
      require(evidence[server].delayed > 0 &&
        evidence[server].sliced > 0, `no data passed in front of ${server}`);
    }
    return evidence;
  },
  limits: ({ figures }) => [
    { what: '202 p99 (ms)', limit: 1_200, value: figures.webhooks.p99, isTiming: true },
    { what: 'answers 5xx', limit: 0, value: figures.serverErrors, isTiming: true },
  ],
};
