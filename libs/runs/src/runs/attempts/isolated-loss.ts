/** A run that loses its executor every time must still end. */
const MAXIMUM_ATTEMPTS = 10;

/**
 * Whether an attempt that was lost with its executor had a process of its own, as every last attempt has where executors
 * isolate: then another run, or the machine, ended the executor, and the attempt does not count. A run that may begin once
 * only is not repeated.
 */
export const isIsolatedLoss = (isolates: string) => `(${isolates} AND runs.maximum_attempts > 1
  AND runs.attempt - runs.free_attempts >= runs.maximum_attempts AND runs.attempt < ${MAXIMUM_ATTEMPTS})`;
