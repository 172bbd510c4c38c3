import { setTimeout as pause } from 'node:timers/promises';
import { withRedis } from '../../tools/services/server-clients.mjs';
import { require, requireClosed, requireFrozen, requireEnded } from './evidence.mjs';

/** @import { PrivateRedis } from '../../tools/services/private-redis.mjs' */
/** @import { Fault, FaultSite } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F8',
  title: 'Redis is emptied, killed and frozen',
  mustHold: 'answers equivalent to those without the fault; 5xx 0; added latency p99 ≤ 150 ms',
  async inject({ servers: { keyValue }, random, note, isAlone }) {
    /** @type {Readonly<Record<string, typeof kill>>} */
    const ways = { empty, kill, freeze };
    const chosen = isAlone ? Object.keys(ways) : random.shuffled(Object.keys(ways)).slice(0, 2);
    for (const way of chosen) {
      await ways[way](keyValue, note, isAlone ? 20_000 : 8_000);
      await pause(2_000);
    }
    return { ways: chosen };
  },
  limits: ({ figures }) => [
    { what: 'answers 5xx', limit: 0, value: figures.serverErrors },
    { what: '202 p99 (ms)', limit: 400, value: figures.webhooks.p99, isTiming: true },
  ],
};

/**
 * @param {PrivateRedis} keyValue
 * @param {FaultSite['note']} note
 */
async function empty(keyValue, note) {
  const before = await withRedis(keyValue.url, async (client) => {
    const keys = await client.dbsize();
    await client.flushall();
    return keys;
  });
  require(before > 0, 'Redis held nothing');
  note(`Redis forgot ${before} keys`);
}

/**
 * @param {PrivateRedis} keyValue
 * @param {FaultSite['note']} note
 * @param {number} milliseconds
 */
async function kill(keyValue, note, milliseconds) {
  const pid = keyValue.pid();
  await keyValue.kill();
  try {
    await requireEnded(pid);
    await requireClosed(keyValue.url);
    note(`Redis (${pid}) is stopped`);
    await pause(milliseconds / 4);
  } finally {
    await keyValue.start();
  }
}

/**
 * @param {PrivateRedis} keyValue
 * @param {FaultSite['note']} note
 * @param {number} milliseconds
 */
async function freeze(keyValue, note, milliseconds) {
  keyValue.freeze();
  try {
    await pause(200);
    requireFrozen(keyValue.pid());
    note(`Redis (${keyValue.pid()}) is frozen`);
    await pause(milliseconds);
  } finally {
    keyValue.thaw();
  }
}
