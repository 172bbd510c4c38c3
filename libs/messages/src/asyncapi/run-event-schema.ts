import { anyObject, closedObject, text, named } from './json-schema';

/** One event of a streamed run. */
export const runEventSchema = named('RunEvent', closedObject({ event: text, data: anyObject }));
