import { chatBodySchema } from './chat-body';
import type { ChatBody, ChatMessageBody } from './chat-body';
import { HttpError } from '@millrace/http';
import { uuidv7 } from '@millrace/service';
import { createValidator } from '../../http/validation/validator';

const validate = createValidator(chatBodySchema);

export interface ChatRequest {
  readonly id: string;
  /** The flow's id or endpoint name. */
  readonly model: string;
  /** The text of the last message of the user. */
  readonly input: string;
  readonly sessionId: string;
  readonly stream: boolean;
  /** Whether a stream ends with the token usage. */
  readonly includesUsage: boolean;
}

/** Parses the body of `POST /v1/chat/completions`. Throws invalid_request and invalid_value. */
export function chatRequest(value: unknown, sessionHeader: string | undefined): ChatRequest {
  validate(value);
  const body = value as ChatBody;
  if ((body.tools ?? []).length > 0 || (body.functions ?? []).length > 0)
    throw new HttpError('invalid_value', 'Tools are not supported: the flow has tools of its own.');
  if ((body.n ?? 1) > 1) throw new HttpError('invalid_value', 'n must be 1.');
  const last = body.messages.findLast(({ role }) => role === 'user');
  if (!last) throw new HttpError('invalid_value', 'The messages contain none of the role user.');
  const id = uuidv7();
  return {
    id: `chatcmpl-${id}`,
    model: body.model,
    input: textOf(last),
    sessionId: body.session_id || sessionHeader || id,
    stream: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

function textOf({ content }: ChatMessageBody): string {
  if (typeof content === 'string') return content;
  const parts = content ?? [];
  const other = parts.find(({ type }) => type !== 'text');
  if (other)
    throw new HttpError('invalid_value', `Content of type ${other.type.slice(0, 50)} is not supported.`);
  return parts.map(({ text }) => text ?? '').join('\n');
}
