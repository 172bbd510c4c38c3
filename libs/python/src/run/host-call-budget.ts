import { ComponentError } from '@millrace/flow';
import type { HostCall } from '../process/requests';

/** Calls of the executor in one run. */
const maximumCalls = 100_000;
/** Messages that the components of one run store, and the bytes of the frames with them: all are in the result. */
const maximumMessages = 10_000;
const maximumMessageBytes = 64 * 1024 * 1024;

const storing: ReadonlySet<string> = new Set(['messages.store', 'messages.send', 'history.add']);

/** Bounds what the components of one run ask the executor for: a loop must not fill its memory. */
export class HostCallBudget {
  #calls = 0;
  #messages = 0;
  #messageBytes = 0;

  /** Throws a ComponentError when the run has used its budget up. */
  take({ method, bytes }: Pick<HostCall, 'method' | 'bytes'>): void {
    this.#calls += 1;
    if (this.#calls > maximumCalls) {
      throw new ComponentError(`The components of a run can call the executor ${maximumCalls} times.`);
    }
    if (!storing.has(method)) return;
    this.#messages += 1;
    this.#messageBytes += bytes;
    if (this.#messages > maximumMessages || this.#messageBytes > maximumMessageBytes) {
      throw new ComponentError(
        `The components of a run can store ${maximumMessages} messages with ${maximumMessageBytes} bytes together.`,
      );
    }
  }
}
