/** A run that loses its executor every time must still end, before it has ended many. */
const FURTHER_ATTEMPTS = 3;

/**
 * Whether an attempt that was lost with its executor had a process of its own, as every last attempt has where executors
 * isolate: then another run, or the machine, ended the executor, and the attempt does not count. Runs with fewer attempts than
 * the default of three are not repeated.
 */
export const isIsolatedLoss = (isolates: string) => `(${isolates} AND runs.maximum_attempts > 2
  AND runs.attempt - runs.free_attempts >= runs.maximum_attempts
  AND runs.attempt < runs.maximum_attempts + ${FURTHER_ATTEMPTS})`;
