import type { FlowSettings } from '@millrace/flow';
import type { ScopedLimits } from '../limits/limits';
import type { FlowReference } from '../flows/flow-record';
import { poolOfFlow } from '../flows/pool-of-flow';
import type { TriggerRecord } from './trigger-record';

/** A trigger joined with its flow. */
export interface TriggerFlowRow extends Pick<TriggerRecord, 'flowId' | 'userId'> {
  readonly flowName: string;
  readonly version: number;
  /** Null in a row that no service wrote. */
  readonly settings: FlowSettings | null;
  readonly needsPython: boolean;
  /** Where requests find the trigger. */
  readonly projectId?: string | null;
  readonly limits?: ScopedLimits | null;
}

/** Returns the flow that a trigger starts. `pythonPool` is the pool of flows that need Python and name no pool. */
export function flowOfTrigger(row: TriggerFlowRow, pythonPool: string | null): FlowReference {
  const { flowId: id, userId, version, needsPython, flowName: name } = row;
  const settings = row.settings ?? {};
  const pool = poolOfFlow({ settings, needsPython }, pythonPool);
  return {
    id,
    userId,
    version,
    settings,
    needsPython,
    name,
    projectId: row.projectId ?? null,
    limits: row.limits ?? null,
    pauseReason: null,
    pool,
    isEmpty: false,
  };
}
