import { createHash } from 'node:crypto';
import type { HumanRequest } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { MessageChanges, MessageRow } from '../messages/message-row';

/** A content block of Langflow's message about a request. */
interface QuestionBlock {
  readonly title: string;
  readonly contents: readonly { readonly type?: string; readonly submitted_action?: string | null }[];
}

const { properties, category } = new Message({ text: '' }).fields;

/**
 * Returns the message with which a session shows what a suspended run asks, in Langflow's shape. It has no text: models do not
 * see it.
 */
export function questionMessage(
  { request_id, kind, prompt, options, allowed_decisions }: HumanRequest,
  run: Pick<MessageRow, 'flowId' | 'userId' | 'sessionId' | 'timestamp'> & { readonly runId: string },
): MessageRow {
  const question = {
    type: 'human_input',
    duration: null,
    header: {},
    request_id,
    job_id: run.runId,
    kind,
    prompt,
    options,
    fields: [],
    allowed_decisions,
    submitted_action: null,
    superseded: false,
  };
  const block = {
    title: 'Human input required',
    contents: [question],
    allow_markdown: true,
    media_url: null,
  };
  return {
    ...run,
    id: questionMessageId(run.runId, request_id),
    contextId: '',
    sender: 'Machine',
    senderName: 'AI',
    text: '',
    files: [],
    error: false,
    edit: false,
    properties,
    category,
    contentBlocks: [block],
    duration: null,
    sessionMetadata: null,
  };
}

/** Returns the changes of that message when its request has ended; `actionId` is null without a decision. */
export function endedQuestion({ contentBlocks }: MessageRow, actionId: string | null): MessageChanges {
  const blocks = contentBlocks as readonly QuestionBlock[];
  return {
    contentBlocks: blocks.map((block) => ({
      ...block,
      contents: block.contents.map((one) =>
        one.type === 'human_input'
          ? { ...one, submitted_action: actionId, superseded: actionId === null }
          : one,
      ),
    })),
  };
}

/** The id is the same whenever the run asks this again. */
export function questionMessageId(runId: string, requestId: string): string {
  const digits = createHash('sha256').update(`${runId} ${requestId}`).digest('hex');
  // A UUID of version 8, whose other digits are those of the hash.
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
  ];
  return [...parts, digits.slice(20, 32)].join('-');
}
