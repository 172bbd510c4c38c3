import type { PlanVertex, Plan } from '@millrace/flow';
import type { Message, MessageUsage } from '@millrace/python-text';

/** The tokens that the model calls of each vertex of a run have used, as far as the providers report them. */
export class TokenCounts {
  readonly #byVertex = new Map<number, MessageUsage>();

  add({ index }: PlanVertex, usage: MessageUsage): void {
    this.#byVertex.set(index, sum(this.#byVertex.get(index), usage));
  }

  /** Returns the tokens that a vertex has used; null when none are known. */
  of({ index }: PlanVertex): MessageUsage | null {
    return this.#byVertex.get(index) ?? null;
  }

  /** Returns a message with the tokens that its vertex and all vertices before it have used; the same message without any. */
  withUsageBefore(plan: Plan, vertex: PlanVertex, message: Message): Message {
    if (this.#byVertex.size === 0) return message;
    let usage: MessageUsage | undefined;
    for (const index of verticesBefore(plan, vertex)) {
      const used = this.#byVertex.get(index);
      if (used !== undefined) usage = sum(usage, used);
    }
    if (usage === undefined) return message;
    return message.with({ properties: { ...message.fields.properties, usage } });
  }
}

/** Returns the indexes of a vertex and of all vertices from which edges lead to it. */
function verticesBefore(plan: Plan, vertex: PlanVertex): ReadonlySet<number> {
  const found = new Set([vertex.index]);
  for (const index of found) for (const { source } of plan.vertices[index]?.incoming ?? []) found.add(source);
  return found;
}

function sum(one: MessageUsage | undefined, other: MessageUsage): MessageUsage {
  const inputTokens = (one?.input_tokens ?? 0) + (other.input_tokens ?? 0);
  const outputTokens = (one?.output_tokens ?? 0) + (other.output_tokens ?? 0);
  const totalTokens = (one?.total_tokens ?? 0) + (other.total_tokens ?? 0);
  return { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens };
}
