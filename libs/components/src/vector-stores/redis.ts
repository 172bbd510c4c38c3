import { ComponentError, isDict, secret, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { batches } from '../integrations/http/batches';
import { callRedis } from '../integrations/redis/redis-connection';
import type { RedisAddress, RedisCommand } from '../integrations/redis/redis-connection';
import { RedisErrorReply } from '../integrations/redis/redis-replies';
import type { RedisReply } from '../integrations/redis/redis-replies';
import { parseRedisUrl } from '../integrations/redis/redis-url';
import type { Vector } from '../integrations/models/embedding-protocol';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';
import { defineVectorStore } from './definition/define-vector-store';

const inputs = {
  redis_server_url: secret({ displayName: 'Redis Server Connection String', required: true }),
  redis_index_name: text({ displayName: 'Redis Index', plain: true }),
  schema: text({ displayName: 'Schema', plain: true }),
};

type Values = InputValues<typeof inputs>;

const bytesOfNumber = 4;
const maximumTexts = 100;

export default defineVectorStore({
  type: 'Redis',
  aliases: ['RedisVectorStoreComponent'],
  displayName: 'Redis',
  description: 'Stores texts in an index of Redis and searches it.',
  inputs,
  open: (values, context) => new RedisStore(values, context),
});

/**
 * One hash for each text, with the fields of LangChain (`content`, `content_vector`) and the metadata as JSON, in an
 * index of the query engine of Redis.
 */
class RedisStore implements VectorStore {
  readonly makesVectors = false;
  readonly #address: RedisAddress;
  readonly #index: string;
  readonly #context: ComponentContext;

  constructor({ redis_server_url, redis_index_name }: Values, context: ComponentContext) {
    if (redis_index_name === '') throw new ComponentError('Redis needs the name of an index.');
    this.#address = parseRedisUrl(redis_server_url);
    this.#index = redis_index_name;
    this.#context = context;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    await this.#createIndex(texts[0]?.vector?.length ?? 0);
    for (const batch of batches(texts, maximumTexts)) {
      await this.#call(
        batch.map(({ id, text: content, metadata, vector }): RedisCommand => {
          const key = `doc:${this.#index}:${id}`;
          const fields = ['content', content, 'metadata', JSON.stringify(metadata)];
          return ['HSET', key, ...fields, 'content_vector', vectorBytes(vector ?? [])];
        }),
      );
    }
  }

  async search({ vector, limit }: StoreSearch): ReturnType<VectorStore['search']> {
    const count = String(limit);
    const reply = await this.#call([
      [
        'FT.SEARCH',
        this.#index,
        `(*)=>[KNN ${count} @content_vector $vector AS distance]`,
        'PARAMS',
        '2',
        'vector',
        vectorBytes(vector ?? []),
        'SORTBY',
        'distance',
        'ASC',
        'RETURN',
        '3',
        'content',
        'metadata',
        'distance',
        'LIMIT',
        '0',
        count,
        'DIALECT',
        '2',
      ],
    ]);
    return foundTexts(reply);
  }

  async #createIndex(dimensions: number): Promise<void> {
    const vectorField = ['content_vector', 'VECTOR', 'FLAT', '6', 'TYPE', 'FLOAT32'];
    const measure = ['DIM', String(dimensions), 'DISTANCE_METRIC', 'COSINE'];
    const place = ['ON', 'HASH', 'PREFIX', '1', `doc:${this.#index}:`];
    try {
      await this.#call([
        ['FT.CREATE', this.#index, ...place, 'SCHEMA', 'content', 'TEXT', ...vectorField, ...measure],
      ]);
    } catch (error) {
      if (!isExisting(error)) throw error;
    }
  }

  #call(commands: readonly RedisCommand[]): Promise<RedisReply> {
    return callRedis(this.#address, commands, this.#context);
  }
}

function isExisting(error: unknown): boolean {
  const cause = error instanceof ComponentError ? error.cause : null;
  return cause instanceof RedisErrorReply && /already exists/i.test(cause.message);
}

/** Numbers of 32 bits, the lowest byte first. */
function vectorBytes(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * bytesOfNumber);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * bytesOfNumber);
  return bytes;
}

/** Reads the reply of a search: the number of results, then the key and the fields of each. */
function foundTexts(reply: RedisReply): Awaited<ReturnType<VectorStore['search']>> {
  if (!Array.isArray(reply)) throw new ComponentError('Redis returned a reply that is not a list.');
  const [, ...entries] = reply as readonly RedisReply[];
  return entries.flatMap((fields) => {
    if (!Array.isArray(fields)) return [];
    const words = (fields as readonly RedisReply[]).map(String);
    const valueOf = (name: string): string => {
      const at = words.findIndex((word, index) => index % 2 === 0 && word === name);
      return at === -1 ? '' : (words[at + 1] ?? '');
    };
    const distance = Number(valueOf('distance') || Number.NaN);
    return {
      text: valueOf('content'),
      metadata: metadataIn(valueOf('metadata')),
      similarity: Number.isNaN(distance) ? null : 1 - distance / 2,
      vector: null,
    };
  });
}

function metadataIn(json: string): PythonObject {
  try {
    const value = parsePythonJson(json);
    return isDict(value) ? value : {};
  } catch {
    return {};
  }
}
