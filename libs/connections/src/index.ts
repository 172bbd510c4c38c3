export { openConnections } from './connections';
export type { Connections } from './connections';
export { requireSettings } from './require-settings';
export { serversOf } from './servers-of';
