// The parts of OpenAI's protocol that calls of models use. Servers that only resemble OpenAI's omit members.

/** An answer of `POST /chat/completions` that is not streamed. */
export interface ChatCompletion {
  readonly model: string;
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly CompletionToolCall[];
    };
    readonly finish_reason: string;
  }[];
  readonly usage?: CompletionUsage | null;
}

/** One event of a streamed answer. The last one has the usage and no choice. */
export interface ChatCompletionChunk {
  readonly model: string;
  readonly choices: readonly {
    readonly delta: { readonly content?: string | null; readonly tool_calls?: readonly ToolCallPiece[] };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: CompletionUsage | null;
}

export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A call of a function, or of something else that no request offers. */
export interface CompletionToolCall {
  readonly id: string;
  readonly type: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** A part of a call; the parts of one call have the same index. */
export interface ToolCallPiece {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A message of a request. */
export type RequestMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly Required<CompletionToolCall>[];
    };

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** A function that the model can call. */
export interface RequestTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}
