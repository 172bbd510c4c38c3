/** What goes to every process over `millrace.control`. */
export type ControlMessage =
  | { readonly kind: 'cancel'; readonly runId: string; readonly reason: string }
  | { readonly kind: 'flow-changed'; readonly flowId: string }
  | { readonly kind: 'key-revoked'; readonly keyHash: string }
  | { readonly kind: 'who-runs'; readonly runId: string; readonly attempt: number; readonly asker: string }
  | {
      readonly kind: 'i-run';
      readonly runId: string;
      readonly attempt: number;
      readonly worker: string;
      readonly asker: string;
    };
