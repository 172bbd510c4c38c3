export { arbitraryRequest } from './arbitrary-request';
export { readEvents } from './read-events';
export type { ReadEvent } from './read-events';
export { hostileNumbers, hostileTexts } from './hostile-values';
export { closeConnections, sendRequest } from './send-request';
