export { readEncryptionKeys, readOrCreateEncryptionKeys, writeEncryptionKeys } from './encryption-key';
export { makeDataFolder } from './make-data-folder';
export { openStandalone } from './open-standalone';
export type { Standalone } from './open-standalone';
export { standaloneSettings } from './settings';
export { StoredApiKey } from './stored-api-key';
