/** Messages of a supervisor to a worker process. */
export type MessageToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'tell-metrics'; readonly question: number }
  | { readonly kind: 'all-metrics'; readonly question: number; readonly text: string };

/** Messages of a worker process to its supervisor. */
export type MessageToSupervisor =
  | { readonly kind: 'ready' }
  | { readonly kind: 'metrics'; readonly question: number; readonly text: string }
  | { readonly kind: 'all-metrics-wanted'; readonly question: number };

/** Sends a message to the supervisor of this process; does nothing without one. */
export function sendToSupervisor(message: MessageToSupervisor): void {
  // The loss of the supervisor is detected by the disconnect event; a failed message needs no report.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
