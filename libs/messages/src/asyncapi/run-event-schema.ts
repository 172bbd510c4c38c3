import { anyObject, text, namedObject } from './json-schema';

/** One event of a streamed run. */
export const runEventSchema = namedObject('RunEvent', { event: text, data: anyObject });
