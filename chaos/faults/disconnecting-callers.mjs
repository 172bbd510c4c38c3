import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F12',
  title: 'callers disconnect',
  mustHold: 'work stops ≤ 2 s after they disconnect; the run is cancelled',
  async inject({ load, sink, random, isAlone }) {
    const count = isAlone ? 60 : 12;
    const before = sink.broken.length;
    /** @type {Promise<void>[]} */
    const left = [];
    for (let number = 0; number < count; number += 1) {
      left.push(load.leave(number % 2 === 0 ? 'run' : 'stream', random.integer(0, 2_000)));
      await pause(150);
    }
    await Promise.all(left);
    await pause(3_000);
    require(sink.broken.length > before, 'no effect was in progress when its caller disconnected');
    return { left: count, effectsBroken: sink.broken.length - before };
  },
  limits: () => [],
};
