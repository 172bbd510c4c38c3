/** Records the answers that callers received, for comparison with the stored runs. */
export class Ledger {
  /** { id, token, startedAt, tries: [{ status, milliseconds, startedAt, problem }], runIds } by webhook id. */
  webhooks = new Map();
  /** { kind, token, key, startedAt, milliseconds, status, runId, body, problem } of runs with waiting callers. */
  runs = [];
  /** { token, startedAt, milliseconds, status, runId, ends, errors, text, problem } */
  streams = [];
  /** { token, disconnectedAt } */
  disconnectedCallers = [];

  webhook(id, token) {
    const known = this.webhooks.get(id);
    if (known !== undefined) return known;
    const webhook = { id, token, startedAt: Date.now(), tries: [], runIds: new Set() };
    this.webhooks.set(id, webhook);
    return webhook;
  }

  /** Returns the ids of runs in 202 answers. */
  accepted() {
    return [...this.webhooks.values()].flatMap(({ runIds }) => [...runIds]);
  }

  /** Returns the answers to requests that started between two times: { kind, status, milliseconds, problem }. */
  answers(from = 0, to = Infinity) {
    const tries = [...this.webhooks.values()].flatMap((webhook) =>
      webhook.tries.map((one) => ({ kind: 'webhook', ...one })),
    );
    const streams = this.streams.map((stream) => ({ kind: 'stream', ...stream }));
    return [...tries, ...this.runs, ...streams].filter(
      ({ startedAt }) => startedAt >= from && startedAt <= to,
    );
  }
}
