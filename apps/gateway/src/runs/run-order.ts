import type { CachePolicy } from '@millrace/messages';
import type { Callback, RunRequest } from '@millrace/flow';
import type { FlowReference } from '@millrace/runs';
import type { EventLines } from './pending-run';

/** Cache policy of a run; null when neither the flow nor the caller sets one. */
export type RequestedCachePolicy = CachePolicy | 'bypass' | null;

/** A run that a caller asks for. */
export interface RunOrder {
  readonly userId: string;
  readonly flow: FlowReference;
  readonly request: RunRequest;
  /** The HTTP request that asks for the run. */
  readonly requestId: string;
  /** The key of that request. None unless given. */
  readonly keyId?: string | null;
  /** Keeps its idempotency keys apart from those of others. None unless given. */
  readonly endUser?: string | null;
  /** No policy unless given. */
  readonly cache?: RequestedCachePolicy;
  /** The deadline that the caller sets, in seconds. None unless given. */
  readonly deadlineSeconds?: number | null;
  /** Where the end of the run is reported. Nowhere unless given; such a run is durable. */
  readonly callback?: Callback | null;
  /** The run is stored before it starts, and goes on without its caller. */
  readonly isDurable?: true;
  readonly onEvents: EventLines | null;
  /** Called once the run has been sent or stored, so that the request can be released. */
  readonly onSent?: () => void;
}
