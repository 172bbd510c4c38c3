import { defineSettings } from './define-settings';
import { bytes } from './kinds';

/** The limit of a request body, for services with an HTTP interface. */
export const bodySettings = defineSettings({
  MILLRACE_MAXIMUM_BODY_BYTES: bytes({
    default: 10_485_760,
    minimum: 1_024,
    description: 'Maximum size of the body of a run or webhook.',
  }),
});

/** Limit of the bodies that a process holds at a time; the default depends on how a service uses them. */
export function bufferedBodiesSetting(options: { readonly default: number }) {
  return bytes({
    ...options,
    unusual: true,
    formerly: ['MILLRACE_MAXIMUM_BODIES_BYTES'],
    minimum: 1_048_576,
    description:
      'Maximum number of bytes of bodies that each process holds at a time, without the first 64 KiB of each; more are answered with 503. A body counts from its arrival until its run has been published or stored, in the standalone app until it is answered.',
  });
}
