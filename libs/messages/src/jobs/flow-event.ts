/** The header with the flow id of a flow event; its correlation id is the run's. */
export const FLOW_HEADER = 'x-flow';

/** An event of a background run of a watched flow, for a gateway. It can get lost. */
export interface FlowEvent {
  readonly event: string;
  /** Contains `run_id`. */
  readonly data: Readonly<Record<string, unknown>>;
}
