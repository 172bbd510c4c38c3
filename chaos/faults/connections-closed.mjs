import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

export default {
  id: 'F5',
  title: 'the broker closes all connections, again and again',
  mustHold: 'lost 0; connections and channels the same afterwards',
  async strike({ servers: { broker }, all, note, signal, isAlone }) {
    const ended = () => all.reduce((sum, { proxies }) => sum + proxies.broker.counts.ended, 0);
    const before = ended();
    for (let number = 0; number < (isAlone ? 12 : 3) && !signal.aborted; number += 1) {
      const soFar = ended();
      await broker.control('close_all_connections', 'chaos');
      await pause(5_000);
      require(ended() > soFar, 'no connection ended');
      note(`${ended() - soFar} connections ended`);
    }
    return { connectionsEnded: ended() - before };
  },
  limits: () => [],
};
