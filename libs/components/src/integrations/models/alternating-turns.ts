import type { ChatTurn } from './chat-message';

/** A part of a turn in the protocol of a provider. */
export type Block = Readonly<Record<string, unknown>>;

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/**
 * Returns messages as turns for protocols in which turns alternate and begin with the user's: consecutive messages of one
 * role become one turn. `placeholder` is the user's turn before a conversation that begins with the assistant's.
 */
export function alternatingTurns(
  messages: readonly ChatTurn[],
  blocksOf: (message: ChatTurn) => readonly Block[],
  placeholder: Block,
): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(message);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [placeholder] });
  return turns;
}
