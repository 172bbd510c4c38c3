export { KeyValueUnavailableError } from './key-value-store';
export type { AppendOptions, KeyValueCommand, KeyValueStore, SetOptions } from './key-value-store';
export { openKeyValueStore } from './open-key-value-store';
export type { OpenKeyValueStoreOptions } from './open-key-value-store';
