import { ComponentError, defineComponent, integer, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import { ChatMemory, memoryHandle } from './messages/chat-memory';
import { readChatRecord, writeChatRecord } from './messages/chat-record';
import { callRedis } from '../integrations/redis/redis-connection';
import type { RedisAddress } from '../integrations/redis/redis-connection';

/** The maximum number of messages that are read of a session. */
const maximumMessages = 1000;

export default defineComponent({
  type: 'RedisChatMemory',
  aliases: ['RedisIndexChatMemory'],
  displayName: 'Redis Chat Memory',
  description: 'Stores the messages of sessions on a Redis server.',
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
      throw new ComponentError(`"${database}" is not the number of a Redis database.`);
    const address = { host: host.trim(), port, database: number, username, password };
    return { memory: memoryHandle(new RedisChatMemory(address, key_prefix || 'message_store:')) };
  },
});

/** One list for each session, newest first, in LangChain's format. */
class RedisChatMemory extends ChatMemory {
  readonly #address: RedisAddress;
  readonly #prefix: string;

  constructor(address: RedisAddress, prefix: string) {
    super();
    this.#address = address;
    this.#prefix = prefix;
  }

  async read(sessionId: string, context: ComponentContext): Promise<readonly Message[]> {
    const range = ['LRANGE', this.#prefix + sessionId, '0', String(maximumMessages - 1)];
    const records = await callRedis(this.#address, [range], context);
    if (!Array.isArray(records)) throw new ComponentError('Redis returned a reply that is not a list.');
    return [...(records as readonly unknown[])]
      .reverse()
      .flatMap((record) => (typeof record === 'string' ? (readChatRecord(record, sessionId) ?? []) : []));
  }

  async add(sessionId: string, message: Message, context: ComponentContext): Promise<void> {
    await callRedis(this.#address, [['LPUSH', this.#prefix + sessionId, writeChatRecord(message)]], context);
  }
}
