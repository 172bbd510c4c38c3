import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'cuts',
  title: 'connections of one service are cut, and new ones are refused for up to 3 s',
  mustHold: 'lost 0; doubles 0',
  async inject({ all, random, note, signal, isAlone }) {
    const evidence = { cut: 0, refused: 0 };
    for (let number = 0; number < (isAlone ? 12 : 3) && !signal.aborted; number += 1) {
      const service = random.pick(all);
      const server = random.pick(/** @type {const} */ (['broker', 'database']));
      const proxy = service.proxies[server];
      const refused = proxy.counts.refused;
      proxy.set({ isRefusing: true });
      const cut = proxy.cut();
      note(`${cut} connections of ${service.name} to ${server} are cut`);
      await pause(random.integer(500, 3_000));
      proxy.clear();
      require(cut > 0, `${service.name} had no connection to ${server}`);
      evidence.cut += cut;
      evidence.refused += proxy.counts.refused - refused;
      await pause(1_500);
    }
    return evidence;
  },
  limits: () => [],
};
