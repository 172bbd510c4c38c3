export { arbitraryRequest } from './arbitrary-request';
export { hostileNumbers, hostileTexts } from './hostile-values';
export { closeConnections, sendRequest } from './send-request';
