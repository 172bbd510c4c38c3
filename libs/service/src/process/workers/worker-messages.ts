/** What a supervisor says to one of its worker processes. */
export type MessageToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'tell-metrics'; readonly question: number }
  | { readonly kind: 'all-metrics'; readonly question: number; readonly text: string };

/** What a worker process says to its supervisor. */
export type MessageToSupervisor =
  | { readonly kind: 'ready' }
  | { readonly kind: 'metrics'; readonly question: number; readonly text: string }
  | { readonly kind: 'all-metrics-wanted'; readonly question: number };

/** To the supervisor of this process; nothing happens where there is none any more. */
export function tellSupervisor(message: MessageToSupervisor): void {
  // A supervisor that has gone is noticed by its silence: there is nobody to tell of a message that failed.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
