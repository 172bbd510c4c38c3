import { isRecord } from '../../http/bodies/parse-json';
import type { ValidationItem } from '../../http/validation/validation-item';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { runAgentBodySchema } from './agui-bodies';
import type { RunAgentBody, ResumeEntry } from './agui-bodies';
import { interruptReference } from './interrupts';

const validate = createValidator(runAgentBodySchema);

/** Members of which a run of a flow would see nothing. Clients send them empty. */
const UNSUPPORTED = {
  tools: 'The flow has the tools of its own nodes only',
  context: 'A flow takes no context: write it into the message or into a variable',
  state: 'A flow keeps no state of the client',
  forwardedProps: 'A flow takes no forwarded properties',
} as const;

/** What a client asks for: a run of the flow, or the continuation of one that waits. */
export interface AguiInput {
  readonly threadId: string;
  readonly runId: string;
  /** The last message of the user; null where there is none. */
  readonly text: string | null;
  /** Empty for a new run. */
  readonly resume: readonly ResumeEntry[];
}

/** Parses a RunAgentInput. Throws invalid_request, also for what a run would ignore. */
export function aguiInput(value: unknown): AguiInput {
  validate(value);
  const body = value as RunAgentBody;
  const { threadId, runId, resume = [] } = body;
  const items = Object.entries(UNSUPPORTED).flatMap(([name, reason]): ValidationItem[] => {
    const input = body[name as keyof typeof UNSUPPORTED];
    return isEmpty(input) ? [] : [unsupported(['body', name], reason, input)];
  });
  items.push(...resumeItems(resume));
  // The text of a continued run was taken when it began.
  const text = resume.length > 0 ? null : lastUserText(body, items);
  if (items.length > 0) throw invalidRequest(items);
  return { threadId, runId, text, resume };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function lastUserText({ messages }: RunAgentBody, items: ValidationItem[]): string | null {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[index]?.content;
  if (typeof content === 'string') return content;
  if (index < 0) return null;
  const loc = ['body', 'messages', index, 'content'] as const;
  if (!Array.isArray(content)) {
    items.push({
      type: 'string_type',
      loc: [...loc],
      msg: 'Input should be a text or a list of parts',
      input: content ?? null,
    });
    return null;
  }
  const parts = content as readonly unknown[];
  return parts
    .map((part, rank) => {
      if (isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string') return part['text'];
      items.push(
        unsupported([...loc, rank], 'A flow takes text only: upload files by their own route', part),
      );
      return '';
    })
    .join('\n');
}

function resumeItems(resume: readonly ResumeEntry[]): ValidationItem[] {
  // An id of a run can be written in several ways.
  const ids = resume.map(({ interruptId }) => {
    const reference = interruptReference(interruptId);
    return reference === null ? interruptId : `${reference.runId}:${reference.requestId}`;
  });
  return resume.flatMap(({ interruptId, status, payload }, index): ValidationItem[] => {
    const loc = ['body', 'resume', index];
    if (ids.indexOf(ids[index] ?? interruptId) !== index)
      return [
        {
          type: 'value_error',
          loc: [...loc, 'interruptId'],
          msg: 'An interrupt has one entry',
          input: interruptId,
        },
      ];
    if (status === 'resolved' || isEmpty(payload)) return [];
    return [unsupported([...loc, 'payload'], 'A cancelled entry has no payload', payload)];
  });
}

function unsupported(loc: ValidationItem['loc'], msg: string, input: unknown): ValidationItem {
  return { type: 'not_supported', loc, msg, input };
}
