export { readOrCreateEncryptionKey } from './encryption-key';
export { makeDataFolder } from './make-data-folder';
export { openStandalone } from './open-standalone';
export type { OpenStandaloneOptions, Standalone } from './open-standalone';
export { standaloneSettings } from './settings';
