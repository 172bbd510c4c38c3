import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** Refuses a memory kept elsewhere (Redis, Zep, …): messages are kept with the runs. */
export function refuseExternalMemory(memory: PythonValue): void {
  if (memory === null || memory === '') return;
  throw new ComponentError(
    'A chat memory that is kept elsewhere cannot be used; leave the input "memory" free.',
  );
}
