import type { ToolCall } from '../models/tool-call';
import type { CompletionToolCall, ToolCallPiece } from './openai-protocol';

/** Returns the function calls in a whole answer; no other kind of call is offered to the model. */
export function toolCallsOf(calls: readonly CompletionToolCall[] | undefined): readonly ToolCall[] {
  return (calls ?? []).flatMap((call) =>
    call.type === 'function' && call.function
      ? [{ id: call.id, name: call.function.name, argumentsText: call.function.arguments }]
      : [],
  );
}

/** Assembles calls that arrive in pieces. */
export class ToolCallPieces {
  readonly #calls = new Map<number, { id: string; name: string; argumentsText: string }>();

  add(pieces: readonly ToolCallPiece[] | undefined): void {
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
