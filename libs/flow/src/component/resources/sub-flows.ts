import type { RunRequest } from '../../run/run-request';
import type { RunResponse } from '../../run/run-response';

/** Another flow of the run's user. */
export interface SubFlow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Other flows of the run's user, run as a part of this run: its deadline, its signal, its bounds. */
export interface SubFlows {
  /** By id, endpoint name or name; null for unknown flows and somebody else's alike. */
  find(reference: string): Promise<SubFlow | null>;
  list(): Promise<readonly SubFlow[]>;
  /** Throws what the flow failed with, and a ComponentError when flows call each other too deep. */
  run(flow: SubFlow, request: Omit<RunRequest, 'stream' | 'globalVariables'>): Promise<RunResponse>;
}
