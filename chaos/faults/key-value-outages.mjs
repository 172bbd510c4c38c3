import { setTimeout as pause } from 'node:timers/promises';
import { RedisConnection } from '../../tools/services/redis-connection.mjs';
import { require, requireClosed, requireFrozen, requireGone } from './evidence.mjs';

export default {
  id: 'F8',
  title: 'Redis is emptied, killed and frozen',
  mustHold: 'answers unchanged in meaning; 5xx 0; added latency p99 ≤ 150 ms',
  async strike({ servers: { keyValue }, random, note, isAlone }) {
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

async function empty(keyValue, note) {
  const connection = await RedisConnection.connect(keyValue.url);
  const before = await connection.command('DBSIZE');
  await connection.command('FLUSHALL');
  connection.close();
  require(before > 0, 'Redis held nothing');
  note(`Redis forgot ${before} keys`);
}

async function kill(keyValue, note, milliseconds) {
  const pid = keyValue.pid();
  await keyValue.kill();
  try {
    await requireGone(pid);
    await requireClosed(keyValue.url);
    note(`Redis (${pid}) is gone`);
    await pause(milliseconds / 4);
  } finally {
    await keyValue.start();
  }
}

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
