import type { ChatCompletionChunk, ChatCompletionMessageToolCall } from 'openai/resources';
import type { ToolCall } from '../models/tool-call';

/** Returns the function calls in a whole answer; no other kind of call is offered to the model. */
export function toolCallsOf(
  calls: readonly ChatCompletionMessageToolCall[] | undefined,
): readonly ToolCall[] {
  return (calls ?? []).flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, name: call.function.name, argumentsText: call.function.arguments }]
      : [],
  );
}

type Piece = NonNullable<ChatCompletionChunk['choices'][number]['delta']['tool_calls']>[number];

/** Assembles calls that arrive in pieces. */
export class ToolCallPieces {
  readonly #calls = new Map<number, { id: string; name: string; argumentsText: string }>();

  add(pieces: readonly Piece[] | undefined): void {
    for (const piece of pieces ?? []) {
      const call = this.#calls.get(piece.index) ?? { id: '', name: '', argumentsText: '' };
      this.#calls.set(piece.index, call);
      call.id ||= piece.id ?? '';
      call.name ||= piece.function?.name ?? '';
      call.argumentsText += piece.function?.arguments ?? '';
    }
  }

  all(): readonly ToolCall[] {
    return [...this.#calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => ({ ...call }));
  }
}
