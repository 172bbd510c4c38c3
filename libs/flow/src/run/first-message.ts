import type { RunResponse } from './run-response';

/** Returns the first message among the outputs of a run; null without one. */
export function firstMessageOf({ outputs }: RunResponse): unknown {
  for (const { results } of outputs.flatMap((input) => input.outputs)) {
    for (const result of Object.values(results)) if (typeof textIn(result) === 'string') return result;
  }
  return null;
}

/** Returns the text of the first message among the outputs of a run; empty without one. */
export function firstTextOf(run: RunResponse): string {
  const text = textIn(firstMessageOf(run));
  return typeof text === 'string' ? text : '';
}

/** Returns the text of the first output as chats show it, where lines of some texts are apart; else that of its message. */
export function firstShownTextOf(run: RunResponse): string {
  for (const { messages } of run.outputs.flatMap((input) => input.outputs)) {
    const [first] = messages as readonly ({ readonly message?: unknown } | undefined)[];
    const shown = first?.message;
    if (typeof shown === 'string' && shown !== '') return shown;
  }
  return firstTextOf(run);
}

function textIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['text'] : undefined;
}
