// What the npm package exports as `millrace/client`.
export type { Schemas } from './calls.generated';
export { jsonLines } from './json-lines';
export { MillraceClient } from './millrace-client';
export type { Answer, CallName, CallRequest, ClientOptions, PathRequest } from './millrace-client';
export { MillraceError } from './millrace-error';
export type { MillraceErrorReason } from './millrace-error';
