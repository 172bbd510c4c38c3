/**
 * @typedef {object} ModelRequest A request in OpenAI's protocol.
 * @property {readonly ModelMessage[]} [messages]
 * @property {readonly { readonly function: { readonly name: string } }[]} [tools]
 * @property {unknown} [tool_choice]
 *
 * @typedef {object} ModelMessage
 * @property {string} role
 * @property {string} [tool_call_id]
 * @property {unknown} [content]
 * @property {readonly { readonly id: string, readonly function: { readonly name: string } }[]} [tool_calls]
 */

/**
 * Makes models call every offered tool once: sets the tool choice in requests to models, and records the results of tools.
 * Used between a flow and the fake of a model.
 */
export class ToolTrial {
  #isOn = false;
  /** @type {Set<string>} */
  #called = new Set();
  /** @type {Map<string, string>} */
  #results = new Map();

  begin() {
    this.#isOn = true;
    this.#called.clear();
    this.#results.clear();
  }

  /** Ends the trial. Returns { called, failed }; `failed` lists tools that returned an error, as { tool, reason }. */
  end() {
    this.#isOn = false;
    const failed = [...this.#results].filter(([, text]) => /^Error: /.test(text));
    return {
      called: [...this.#called],
      failed: failed.map(([tool, text]) => ({ tool, reason: text.slice(0, 300) })),
    };
  }

  /**
   * Returns the body of a request to forward to the model.
   * @param {string} text
   */
  pass(text) {
    if (!this.#isOn) return text;
    /** @type {ModelRequest} */
    const body = JSON.parse(text);
    const names = new Map(
      (body.messages ?? []).flatMap(({ tool_calls = [] }) =>
        tool_calls.map((call) => [call.id, call.function.name]),
      ),
    );
    for (const { role, tool_call_id, content } of body.messages ?? [])
      if (role === 'tool') this.#results.set(names.get(tool_call_id ?? '') ?? 'unknown', String(content));
    const next = (body.tools ?? []).map((tool) => tool.function.name).find((name) => !this.#called.has(name));
    if (next === undefined || body.tool_choice !== undefined) return text;
    this.#called.add(next);
    return JSON.stringify({ ...body, tool_choice: { type: 'function', function: { name: next } } });
  }
}
