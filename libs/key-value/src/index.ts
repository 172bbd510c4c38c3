export { KeyValueUnavailableError } from './key-value-store';
export type { Admission, Admitted, Amount, KeyValueStore, Places, Rate } from './key-value-store';
export { openMemoryStore } from './memory/memory-store';
export { openKeyValueStore } from './open-key-value-store';
export { readRedisInfo } from './read-redis-info';
