export { KeyValueUnavailableError } from './key-value-store';
export type { Admitted, KeyValueStore, Rate } from './key-value-store';
export { openMemoryStore } from './memory/memory-store';
export { openKeyValueStore } from './open-key-value-store';
export { readRedisInfo } from './read-redis-info';
