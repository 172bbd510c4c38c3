/**
 * Why an attempt was aborted:
 *
 * - `cancelled`: its caller or its user does not want the run any more
 * - `fenced`: another attempt owns the run
 * - `shutdown`: this executor stops
 */
export type AbortReason = 'cancelled' | 'fenced' | 'shutdown';

/** Returns why the signal of an attempt fired; null when it has not. Only AbortReasons abort such a signal. */
export function abortReasonOf(signal: AbortSignal): AbortReason | null {
  return signal.aborted ? (signal.reason as AbortReason) : null;
}
