/** A control message, which every process receives over `millrace.control`. */
export type ControlMessage =
  | { readonly kind: 'cancel'; readonly runId: string; readonly reason: string }
  /** The caller of a tool cancels the call; its gateway ends the run. */
  | { readonly kind: 'cancel-call'; readonly userId: string; readonly session: string; readonly call: string }
  | { readonly kind: 'flow-changed'; readonly flowId: string }
  /** A key has changed: processes read it again and end its streams, unless it goes on as before. */
  | { readonly kind: 'key-revoked'; readonly keyHash: string; readonly keepsStreams?: boolean }
  /** The limits of a key, user, project or flow have changed: processes read keys and flows again. */
  | { readonly kind: 'limits-changed'; readonly scope: string }
  /** A session of the web console ended. */
  | { readonly kind: 'session-ended'; readonly tokenHash: string }
  /** An admin approved, refused or deleted a Python text. */
  | { readonly kind: 'author-code-changed'; readonly sha256: string }
  | { readonly kind: 'variables-changed'; readonly userId: string }
  | { readonly kind: 'watch-flow'; readonly flowId: string; readonly replyTo: string }
  | {
      readonly kind: 'who-waits';
      readonly runId: string;
      readonly userId: string;
      readonly asker: string;
    }
  | {
      readonly kind: 'waits-here';
      readonly runId: string;
      readonly flowId: string;
      readonly sessionId: string;
      readonly pool: string;
      readonly attempt: number;
      /** ISO 8601. */
      readonly acceptedAt: string;
      readonly asker: string;
    }
  /** A gateway asks the executor of a run what its vertices have done so far. */
  | { readonly kind: 'which-vertices'; readonly runId: string; readonly asker: string }
  /** Sent to the queue of the asker; `trace` is a RunTrace as JSON. */
  | {
      readonly kind: 'vertices-so-far';
      readonly runId: string;
      readonly asker: string;
      readonly trace: string;
    }
  | {
      readonly kind: 'resend-frames';
      readonly runId: string;
      readonly attempt: number;
      /** The number of the first missing frame. */
      readonly from: number;
    }
  | {
      readonly kind: 'who-runs';
      readonly runId: string;
      readonly attempt: number;
      readonly asker: string;
      /** The worker that has the claim according to the run's row. */
      readonly holder?: string;
    }
  | {
      readonly kind: 'i-run';
      readonly runId: string;
      readonly attempt: number;
      readonly worker: string;
      readonly asker: string;
    }
  /** Sent to all executors, or to the queue of one, which replies after it has processed all earlier messages. */
  | {
      readonly kind: 'are-you-there';
      readonly asker: string;
      readonly pool: string;
      /** Returned in the reply. */
      readonly ping: number;
    }
  /** Sent to the queue of the asker. */
  | {
      readonly kind: 'i-am-here';
      readonly worker: string;
      readonly pool: string;
      readonly ping: number;
      /** How long the worker has been consuming from its queue. */
      readonly connectedMilliseconds: number;
    };

/** The text members of each kind; numbers of attempts, frames and pings are not listed. */
const TEXT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  cancel: ['runId'],
  'cancel-call': ['userId', 'session', 'call'],
  'flow-changed': ['flowId'],
  'key-revoked': ['keyHash'],
  'limits-changed': ['scope'],
  'session-ended': ['tokenHash'],
  'author-code-changed': ['sha256'],
  'variables-changed': ['userId'],
  'watch-flow': ['flowId', 'replyTo'],
  'who-waits': ['runId', 'userId', 'asker'],
  'waits-here': ['runId', 'flowId', 'sessionId', 'pool', 'acceptedAt', 'asker'],
  'which-vertices': ['runId', 'asker'],
  'vertices-so-far': ['runId', 'asker', 'trace'],
  'resend-frames': ['runId'],
  'who-runs': ['runId', 'asker'],
  'i-run': ['runId', 'worker', 'asker'],
  'are-you-there': ['asker', 'pool'],
  'i-am-here': ['worker', 'pool'],
};

/**
 * Parses a control message; returns null for an invalid one. Unknown kinds of future versions are valid, and ignored by
 * all processes.
 */
export function readControlMessage(body: string): ControlMessage | null {
  try {
    const message = JSON.parse(body) as Record<string, unknown> | null;
    if (typeof message?.['kind'] !== 'string') return null;
    const texts = Object.hasOwn(TEXT_MEMBERS, message['kind']) ? (TEXT_MEMBERS[message['kind']] ?? []) : [];
    return texts.every((name) => typeof message[name] === 'string')
      ? (message as unknown as ControlMessage)
      : null;
  } catch {
    return null;
  }
}
