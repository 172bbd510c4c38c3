export { openConnections } from './connections';
export type { ConnectionOptions, Connections } from './connections';
export { requireSettings } from './require-settings';
