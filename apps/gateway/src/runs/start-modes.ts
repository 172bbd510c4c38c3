import type { Lane } from '@millrace/messages';

interface ModeProperties {
  readonly lane: Lane;
  /** Whether the row is committed before the job is sent. */
  readonly writesRow: boolean;
  /** Whether a caller at this gateway waits for the reply. */
  readonly waits: boolean;
  /** Where the executor sends frames: to this gateway, to the log of run events, or nowhere. */
  readonly replyTo: 'gateway' | 'event-log' | null;
}

/** The ways to start a run. */
export const startModes = {
  interactive: { lane: 'interactive', writesRow: false, waits: true, replyTo: 'gateway' },
  durable: { lane: 'interactive', writesRow: true, waits: true, replyTo: 'gateway' },
  /** A caller follows the run's stored events at once. */
  followed: { lane: 'interactive', writesRow: true, waits: false, replyTo: 'event-log' },
  background: { lane: 'background', writesRow: true, waits: false, replyTo: null },
  /** Like `background`, for a run whose events can be followed. */
  'background-followed': { lane: 'background', writesRow: true, waits: false, replyTo: 'event-log' },
} as const satisfies Record<string, ModeProperties>;

export type StartMode = keyof typeof startModes;
/** The modes whose run has a row before its job is sent. */
export type StoredMode = Exclude<StartMode, 'interactive'>;
/** The modes without a waiting caller. */
export type DetachedMode = Exclude<StoredMode, 'durable'>;
