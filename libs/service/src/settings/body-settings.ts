import { defineSettings } from './define-settings';
import { bytes, integer } from './kinds';

/** How much of requests the services take that have an HTTP interface. */
export const bodySettings = defineSettings({
  MILLRACE_MAXIMUM_BODY_BYTES: bytes({
    default: 10_485_760,
    minimum: 1_024,
    description: 'How large the body of a run or webhook may be.',
  }),
  MILLRACE_MAXIMUM_BODY_MEMBERS: integer({
    default: 25_000,
    minimum: 1_000,
    maximum: 10_000_000,
    description:
      'How many members the objects and items the arrays of a body may have together; more are answered with 413. Parsing that many keeps a process from other requests for some 40 ms of CPU.',
  }),
});

/** How much of bodies a process holds at a time; the services differ in what they make of a body. */
export function bodiesSetting(options: { readonly default: number }) {
  return bytes({
    ...options,
    minimum: 1_048_576,
    description:
      'How many bytes of bodies each process may hold at a time, besides the first 64 KiB of each; more are answered with 503. A body counts from its arrival until its run has been sent or stored, in the standalone app until it is answered.',
  });
}
