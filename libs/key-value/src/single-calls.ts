import type { Admitted, KeyValueStore } from './key-value-store';

/** The methods that a store must implement; every other call is a batch of one command. */
export type BatchStore = Pick<KeyValueStore, 'batch' | 'keys' | 'ping' | 'close'>;

/** Adds the single calls to a store that executes batches. */
export function withSingleCalls(store: BatchStore): KeyValueStore {
  return {
    batch: (commands) => store.batch(commands),
    keys: (prefix, limit) => store.keys(prefix, limit),
    ping: () => store.ping(),
    close: () => store.close(),

    async get(key) {
      const [value] = await store.batch([{ command: 'get', key }]);
      return value as string | null;
    },

    async getMany(keys) {
      const values = await store.batch(keys.map((key) => ({ command: 'get', key })));
      return values as (string | null)[];
    },

    async set(key, value, options = {}) {
      const [stored] = await store.batch([{ command: 'set', key, value, options }]);
      return stored as boolean;
    },

    async delete(keys) {
      await store.batch([{ command: 'delete', keys }]);
    },

    async append(key, values, options) {
      await store.batch([{ command: 'append', key, values, options }]);
    },

    async admit(admission) {
      const [admitted] = await store.batch([{ command: 'admit', admission }]);
      return admitted as Admitted;
    },

    async keep(key, ids, ttlMilliseconds) {
      await store.batch([{ command: 'keep', key, ids, ttlMilliseconds }]);
    },

    async release(key, ids) {
      await store.batch([{ command: 'release', key, ids }]);
    },

    async share(places) {
      const [granted] = await store.batch([{ command: 'share', places }]);
      return granted as number;
    },

    async settle(place) {
      const [isNoted] = await store.batch([{ command: 'settle', place }]);
      return isNoted as boolean;
    },

    async settled(key) {
      const [settled] = await store.batch([{ command: 'settled', key }]);
      return settled as number;
    },

    async note(count) {
      await store.batch([{ command: 'note', count }]);
    },

    async length(key) {
      const [length] = await store.batch([{ command: 'length', key }]);
      return length as number;
    },

    async range(key, start, stop) {
      const [entries] = await store.batch([{ command: 'range', key, start, stop }]);
      return entries as string[];
    },
  };
}
