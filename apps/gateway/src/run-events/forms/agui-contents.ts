import { isDeepStrictEqual } from 'node:util';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { AguiRun, ProposedCall } from './agui-run';
import type { AguiEvent } from './agui-text-messages';
import { arrayOf, objectOf, textOf } from './event-of';
import type { EventData } from './event-of';

const SHOWN_CONTENTS = new Set(['json', 'code', 'media', 'error']);

/** Makes events of the tool calls and other contents of messages. A message is sent again as its contents grow. */
export class AguiContents {
  readonly #started = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #shown = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  readonly #decided: ProposedCall[];
  readonly #isOwn: boolean;

  /** Of calls that the interrupted run has shown only the results are. */
  constructor(own: AguiRun | undefined) {
    this.#decided = [...(own?.decided ?? [])];
    this.#isOwn = own !== undefined;
  }

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
      const name = textOf(content['name']) || 'tool';
      const args = content['tool_input'] ?? content['input'] ?? null;
      const decided = this.#decided.findIndex(
        (one) => one.name === name && (one.args === undefined || isSame(one.args, args)),
      );
      const [shown] = decided < 0 ? [] : this.#decided.splice(decided, 1);
      if (shown) this.#ids.set(key, shown.id);
      else events.push(...toolCallEvents({ id: key, name, args }, messageId));
    }
    const result = content['error'] ?? content['output'] ?? null;
    if (result === null || this.#answered.has(key)) return events;
    this.#answered.add(key);
    const text = typeof result === 'string' ? result : jsonDumpsCompactAscii(result);
    const toolCallId = this.#ids.get(key) ?? key;
    // The protocol makes a message of each result; Langflow gives it the id of the message that has the call.
    const resultId = this.#isOwn ? `${toolCallId}:result` : messageId;
    return [...events, { type: 'TOOL_CALL_RESULT', messageId: resultId, toolCallId, content: text }];
  }

  #content({ key }: ContentKey, value: EventData & { readonly content: EventData }): AguiEvent[] {
    const state = JSON.stringify(value.content);
    if (this.#shown.get(key) === state) return [];
    this.#shown.set(key, state);
    return [{ type: 'CUSTOM', name: `langflow.content.${textOf(value.content['type'])}`, value }];
  }
}

/** Returns the events of a whole call. */
export function toolCallEvents({ id, name, args }: ProposedCall, parentMessageId?: string): AguiEvent[] {
  return [
    {
      type: 'TOOL_CALL_START',
      toolCallId: id,
      toolCallName: name,
      ...(parentMessageId !== undefined && { parentMessageId }),
    },
    { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: jsonDumpsCompactAscii(args) },
    { type: 'TOOL_CALL_END', toolCallId: id },
  ];
}

/** Compares JSON values whose objects can have their members in another order. */
function isSame(first: unknown, second: unknown): boolean {
  return isDeepStrictEqual(plain(first), plain(second));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
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
