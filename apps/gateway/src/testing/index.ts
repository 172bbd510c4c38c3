export { arbitraryRequest } from './arbitrary-request';
export { followForms } from './follow-forms';
export { readEvents } from './read-events';
export type { ReadEvent } from './read-events';
export { hostileNumbers, hostileTexts } from './hostile-values';
export { closeConnections, sendRequest } from './send-request';
export { startTestIssuer } from './test-issuer';
