/** A run as the HTTP interface writes it. */
export interface RunJson {
  readonly id: string;
  readonly status: string;
  readonly flow_id: string;
  readonly attempt: number;
  readonly accepted_at: string;
  readonly error?: { readonly code?: string; readonly message?: string } | null;
}

export interface RunListJson {
  readonly runs: readonly RunJson[];
  readonly next_cursor: string | null;
}
