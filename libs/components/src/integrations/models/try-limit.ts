import type { ComponentContext } from '@millrace/flow';
import type { HttpCall } from '../http/http-call';

interface LimitedCall extends Pick<HttpCall, 'timeoutMilliseconds'> {
  readonly streams?: boolean;
}

/** How long the rest of an answer may take once its end was announced: what is missing then is the usage. */
const millisecondsAfterEnd = 2_000;

/**
 * The time limit of one try of a call: until the first part of the answer, and then between two parts. There is no timer
 * when the run ends earlier, which ends the try as well.
 */
export class TryLimit {
  /** Ends the try; null when nothing but the end of the run does. */
  readonly signal: AbortSignal | null;
  readonly #controller: AbortController | null;
  #timer: NodeJS.Timeout | null = null;

  constructor({ timeoutMilliseconds = Infinity, streams = false }: LimitedCall, context: ComponentContext) {
    const isNeeded = timeoutMilliseconds < context.remainingMilliseconds();
    this.#controller = isNeeded || streams ? new AbortController() : null;
    this.signal = this.#controller?.signal ?? null;
    if (isNeeded) this.#start(timeoutMilliseconds);
  }

  /** Starts the time again, since a part of the answer has arrived. */
  restart(): void {
    this.#timer?.refresh();
  }

  /** Waits only briefly from now on, for what can follow the end of an answer. */
  expectEnd(): void {
    this.end();
    if (this.#controller !== null) this.#start(millisecondsAfterEnd);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #start(milliseconds: number): void {
    const late = (): void => this.#controller?.abort(new DOMException('The try timed out.', 'TimeoutError'));
    this.#timer = setTimeout(late, milliseconds);
  }
}
