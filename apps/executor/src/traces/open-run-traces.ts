import type { FlowStore } from '@millrace/runs';
import type { Environment } from '@millrace/service';
import { FlowNames } from './flow-names';
import { RunTraces } from './run-traces';

export interface OpenRunTracesOptions {
  /** Whether tracing was started in this process. */
  readonly isTraced: boolean;
  readonly flows: Pick<FlowStore, 'name'>;
  readonly environment: Environment;
}

/** Returns what creates the spans of runs; undefined in a process that is not traced, where runs then cost nothing more. */
export function openRunTraces({ isTraced, flows, environment }: OpenRunTracesOptions): RunTraces | undefined {
  return isTraced ? new RunTraces({ names: new FlowNames(flows), environment }) : undefined;
}
