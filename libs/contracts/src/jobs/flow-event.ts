/** The header that says of which flow a flow event is; its correlation id is the run's. */
export const FLOW_HEADER = 'x-flow';

/** What a gateway hears of a background run of a flow that somebody watches: a hint that may get lost. */
export interface FlowEvent {
  readonly event: string;
  /** `run_id` is a member of it. */
  readonly data: Readonly<Record<string, unknown>>;
}
