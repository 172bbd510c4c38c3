/** A call of a tool by an agent, as its message has it. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
}

/** A question of a run to a person, as its message has it. */
export interface Question {
  readonly prompt: string;
  /** The choice of the person; null while the question waits, and when it ended without one. */
  readonly answer: string | null;
  readonly isOver: boolean;
}

/** Finds the calls of tools in the content blocks of a message. */
export function toolCallsOf(blocks: readonly unknown[]): readonly ToolCall[] {
  return contentsOf(blocks, 'tool_use').map(({ name, tool_input, output, error }) => ({
    name: typeof name === 'string' ? name : 'tool',
    input: tool_input,
    output: contentOf(output),
    error,
  }));
}

/** Finds the questions in the content blocks of a message. */
export function questionsOf(blocks: readonly unknown[]): readonly Question[] {
  return contentsOf(blocks, 'human_input').map(
    ({ prompt, options, submitted_action: chosen, superseded }) => {
      const known = Array.isArray(options) ? (options as { action_id?: unknown; label?: unknown }[]) : [];
      const label = known.find(({ action_id }) => action_id === chosen)?.label ?? chosen;
      return {
        prompt: typeof prompt === 'string' ? prompt : '',
        answer: typeof label === 'string' ? label : null,
        isOver: superseded === true,
      };
    },
  );
}

function contentsOf(blocks: readonly unknown[], type: string): readonly Readonly<Record<string, unknown>>[] {
  return blocks.flatMap((block) => {
    const { contents } = (block ?? {}) as { readonly contents?: unknown };
    // The contents of a message that is not complete have no block around them.
    return [block, ...(Array.isArray(contents) ? contents : [])]
      .map((content: unknown) => (content ?? {}) as Readonly<Record<string, unknown>>)
      .filter((content) => content['type'] === type);
  });
}

/** The result alone, of the message with which a tool answers the model. */
function contentOf(output: unknown): unknown {
  const { type, content } = (output ?? {}) as { readonly type?: unknown; readonly content?: unknown };
  return type === 'tool' ? content : output;
}
