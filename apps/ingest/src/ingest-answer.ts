/** An answer that is not a 202; `body` is in the shape Langflow's clients read. */
export class IngestAnswer extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }

  get body(): string {
    return JSON.stringify({ detail: this.message });
  }
}
