export { KeyValueUnavailableError } from './key-value-store';
export type { AppendOptions, KeyValueCommand, KeyValueStore, SetOptions } from './key-value-store';
