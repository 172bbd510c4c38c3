import { ComponentError, defineComponent, integer, secret, text } from '@millrace/flow';
import type { ComponentContext, Message } from '@millrace/flow';
import { ChatMemory, memoryHandle } from './chat-memory';
import { readChatRecord, writeChatRecord } from './chat-record';
import { askRedis } from './redis-connection';
import type { RedisPlace } from './redis-connection';

/** How many messages of a session are read. */
const mostMessages = 1000;

export default defineComponent({
  type: 'RedisChatMemory',
  aliases: ['RedisIndexChatMemory'],
  displayName: 'Redis Chat Memory',
  description: 'Keeps the messages of sessions in a Redis server.',
  inputs: {
    host: text({ displayName: 'Hostname', plain: true, required: true, default: 'localhost' }),
    port: integer({ displayName: 'Port', required: true, default: 6379 }),
    database: text({ displayName: 'Database', plain: true, required: true, default: '0' }),
    username: text({ displayName: 'Username', advanced: true }),
    password: secret({ displayName: 'Password', advanced: true }),
    key_prefix: text({ displayName: 'Key Prefix', plain: true, advanced: true }),
    session_id: text({ displayName: 'Session ID', advanced: true }),
  },
  outputs: { memory: { types: ['Memory'], displayName: 'Memory', tool: false } },
  deterministic: false,
  run: ({ host, port, database, username, password, key_prefix }) => {
    const number = Number(database);
    if (!/^\d+$/.test(database.trim()))
      throw new ComponentError(`"${database}" is no number of a Redis database.`);
    const place = { host: host.trim(), port, database: number, username, password };
    return { memory: memoryHandle(new RedisChatMemory(place, key_prefix || 'message_store:')) };
  },
});

/** A list for each session, newest first, as LangChain keeps it. */
class RedisChatMemory extends ChatMemory {
  readonly #place: RedisPlace;
  readonly #prefix: string;

  constructor(place: RedisPlace, prefix: string) {
    super();
    this.#place = place;
    this.#prefix = prefix;
  }

  async read(sessionId: string, context: ComponentContext): Promise<readonly Message[]> {
    const range = ['LRANGE', this.#prefix + sessionId, '0', String(mostMessages - 1)];
    const records = await askRedis(this.#place, [range], context);
    if (!Array.isArray(records)) throw new ComponentError('Redis answered with something else than a list.');
    return [...(records as readonly unknown[])]
      .reverse()
      .flatMap((record) => (typeof record === 'string' ? (readChatRecord(record, sessionId) ?? []) : []));
  }

  async add(sessionId: string, message: Message, context: ComponentContext): Promise<void> {
    await askRedis(this.#place, [['LPUSH', this.#prefix + sessionId, writeChatRecord(message)]], context);
  }
}
