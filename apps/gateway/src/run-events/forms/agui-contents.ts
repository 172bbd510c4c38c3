import type { AguiEvent } from './agui-text-messages';
import { arrayOf, objectOf, textOf } from './event-of';
import type { EventData } from './event-of';

const SHOWN_CONTENTS = new Set(['json', 'code', 'media', 'error']);

/** Makes events of the tool calls and other contents of messages. A message is sent again as its contents grow. */
export class AguiContents {
  readonly #started = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #shown = new Map<string, string>();

  of(messageId: string, contentBlocks: unknown): AguiEvent[] {
    const ranks = { tool: 0, content: 0 };
    return arrayOf(contentBlocks)
      .map(objectOf)
      .flatMap((block) =>
        [block, ...arrayOf(block['contents']).map(objectOf)].flatMap((content) => {
          const type = textOf(content['type']);
          if (type === 'tool_use') return this.#toolCall(keyOf(messageId, 'tool', content, ranks), content);
          if (!SHOWN_CONTENTS.has(type)) return [];
          const key = keyOf(messageId, 'content', content, ranks);
          return this.#content(key, {
            message_id: messageId,
            block_title: block['title'] ?? null,
            content,
          });
        }),
      );
  }

  #toolCall({ key, messageId }: ContentKey, content: EventData): AguiEvent[] {
    const events: AguiEvent[] = [];
    if (!this.#started.has(key)) {
      this.#started.add(key);
      const toolCallName = textOf(content['name']) || 'tool';
      const delta = JSON.stringify(content['tool_input'] ?? content['input'] ?? null);
      events.push(
        { type: 'TOOL_CALL_START', toolCallId: key, toolCallName, parentMessageId: messageId },
        { type: 'TOOL_CALL_ARGS', toolCallId: key, delta },
        { type: 'TOOL_CALL_END', toolCallId: key },
      );
    }
    const result = content['error'] ?? content['output'] ?? null;
    if (result === null || this.#answered.has(key)) return events;
    this.#answered.add(key);
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return [...events, { type: 'TOOL_CALL_RESULT', messageId, toolCallId: key, content: text }];
  }

  #content({ key }: ContentKey, value: EventData & { readonly content: EventData }): AguiEvent[] {
    const state = JSON.stringify(value.content);
    if (this.#shown.get(key) === state) return [];
    this.#shown.set(key, state);
    return [{ type: 'CUSTOM', name: `langflow.content.${textOf(value.content['type'])}`, value }];
  }
}

interface ContentKey {
  readonly key: string;
  readonly messageId: string;
}

/** A content has the id of its producer or else its rank: its index moves when text joins the message. */
function keyOf(
  messageId: string,
  kind: 'tool' | 'content',
  content: EventData,
  ranks: Record<'tool' | 'content', number>,
): ContentKey {
  const rank = ranks[kind]++;
  const id = textOf(content['id']);
  return { key: `${messageId}:${kind}:${id === '' ? `ord:${rank}` : `id:${id}`}`, messageId };
}
