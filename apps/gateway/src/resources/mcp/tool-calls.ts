/** A call of a tool: its user, the client's session, and the id of the request as JSON text. */
export interface ToolCall {
  readonly userId: string;
  readonly session: string;
  readonly call: string;
}

/** The calls of tools under way at this gateway, so that a further request can cancel one. */
export class ToolCalls {
  readonly #calls = new Map<string, AbortController>();

  /** Resolves to what `work` does, with a signal that is aborted when the call is cancelled until then. */
  async during<Result>(call: ToolCall, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const key = keyOf(call);
    const controller = new AbortController();
    this.#calls.set(key, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.#calls.get(key) === controller) this.#calls.delete(key);
    }
  }

  cancel(call: ToolCall): void {
    this.#calls.get(keyOf(call))?.abort();
  }
}

function keyOf({ userId, session, call }: ToolCall): string {
  return JSON.stringify([userId, session, call]);
}
