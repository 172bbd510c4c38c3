import type { CachePolicy } from '@millrace/contracts';
import type { AttemptOrder } from './attempt-order';

export interface DispatchOrder extends AttemptOrder {
  readonly flowVersion: number;
  /** True for an attempt that must run in a separate process, if processes for isolated attempts are available. */
  readonly isolated: boolean;
  /** Absent for a run that must always be executed. */
  readonly cache?: CachePolicy | undefined;
}
