/** One validation error of a request, in the shape that FastAPI's clients read. */
export interface ValidationItem {
  readonly type: string;
  readonly loc: Location;
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Location in a request: `["body", "inputs", 0, "type"]`. */
export type Location = readonly (string | number)[];
