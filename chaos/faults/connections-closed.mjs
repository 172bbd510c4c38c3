import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F5',
  title: 'the broker repeatedly closes all connections',
  mustHold: 'lost 0; the same number of connections and channels afterwards',
  async inject({ servers: { broker }, all, note, signal, isAlone }) {
    const ended = () => all.reduce((sum, { proxies }) => sum + proxies.broker.counts.ended, 0);
    const before = ended();
    for (let number = 0; number < (isAlone ? 12 : 3) && !signal.aborted; number += 1) {
      const soFar = ended();
      await broker.control('close_all_connections', 'chaos');
      await pause(5_000);
      require(ended() > soFar, 'no connection was closed');
      note(`${ended() - soFar} connections were closed`);
    }
    return { connectionsEnded: ended() - before };
  },
  limits: () => [],
};
