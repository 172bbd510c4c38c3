/**
 * Has models call every tool they are offered, once: makes the choice in the requests to them, and takes down what the
 * tools gave. Stands between a flow and the fake of a model.
 */
export class ToolTrial {
  #isOn = false;
  #called = new Set();
  #results = new Map();

  begin() {
    this.#isOn = true;
    this.#called.clear();
    this.#results.clear();
  }

  /** Ends it: { called, failed }; `failed` are those that told a model of an error: { tool, reason }. */
  end() {
    this.#isOn = false;
    const failed = [...this.#results].filter(([, text]) => /^Error: /.test(text));
    return {
      called: [...this.#called],
      failed: failed.map(([tool, text]) => ({ tool, reason: text.slice(0, 300) })),
    };
  }

  /** The text of a request as it goes on to the model. */
  pass(text) {
    if (!this.#isOn) return text;
    const body = JSON.parse(text);
    const names = new Map(
      (body.messages ?? []).flatMap(({ tool_calls = [] }) =>
        tool_calls.map((call) => [call.id, call.function.name]),
      ),
    );
    for (const { role, tool_call_id, content } of body.messages ?? [])
      if (role === 'tool') this.#results.set(names.get(tool_call_id), String(content));
    const next = (body.tools ?? []).map((tool) => tool.function.name).find((name) => !this.#called.has(name));
    if (next === undefined || body.tool_choice !== undefined) return text;
    this.#called.add(next);
    return JSON.stringify({ ...body, tool_choice: { type: 'function', function: { name: next } } });
  }
}
