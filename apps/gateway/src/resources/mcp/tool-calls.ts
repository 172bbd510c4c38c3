/** A call of a tool: its user, the client's session, and the id of the request as JSON text. */
export interface ToolCall {
  readonly userId: string;
  readonly session: string;
  readonly call: string;
}

/** The calls of tools under way at this gateway, so that a further request can cancel one. */
export class ToolCalls {
  readonly #calls = new Map<string, AbortController>();

  /** Adds a call; the signal is aborted when it is cancelled. */
  add(call: ToolCall): { readonly signal: AbortSignal; readonly remove: () => void } {
    const key = keyOf(call);
    const controller = new AbortController();
    this.#calls.set(key, controller);
    const remove = () => {
      if (this.#calls.get(key) === controller) this.#calls.delete(key);
    };
    return { signal: controller.signal, remove };
  }

  cancel(call: ToolCall): void {
    this.#calls.get(keyOf(call))?.abort();
  }
}

function keyOf({ userId, session, call }: ToolCall): string {
  return JSON.stringify([userId, session, call]);
}
