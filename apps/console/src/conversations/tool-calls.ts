/** A call of a tool by an agent, as its message has it. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
}

/** Finds the calls of tools in the content blocks of a message. */
export function toolCallsOf(blocks: readonly unknown[]): readonly ToolCall[] {
  return blocks.flatMap((block) => {
    const { contents } = (block ?? {}) as { readonly contents?: unknown };
    if (!Array.isArray(contents)) return [];
    return contents.flatMap((content: unknown) => {
      const { type, name, tool_input, output, error } = (content ?? {}) as Readonly<Record<string, unknown>>;
      if (type !== 'tool_use') return [];
      return [
        {
          name: typeof name === 'string' ? name : 'tool',
          input: tool_input,
          output: contentOf(output),
          error,
        },
      ];
    });
  });
}

/** The result alone, of the message with which a tool answers the model. */
function contentOf(output: unknown): unknown {
  const { type, content } = (output ?? {}) as { readonly type?: unknown; readonly content?: unknown };
  return type === 'tool' ? content : output;
}
