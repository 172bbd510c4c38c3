import { anyObject, closedObject, text } from './json-schema';

/** One event of a streamed run. */
export const runEventSchema = closedObject({ event: text, data: anyObject });
