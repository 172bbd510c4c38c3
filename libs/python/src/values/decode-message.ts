import { isDict } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { MessageFields, MessageProperties, MessageUsage, PythonObject } from '@millrace/python-text';
import { integerOf, listOf, memberOf, objectOf, plainOf, textOf, textsOf } from '../frames/members';
import type { LiveObjects } from './live-objects';

type DecodeMembers = (object: PythonObject) => PythonObject;

const categories: readonly MessageFields['category'][] = ['message', 'error', 'warning', 'info'];

/** Returns the message in a frame; a text that is still being produced becomes its stream. */
export function decodeMessage(
  content: PythonObject,
  objects: LiveObjects,
  decodeMembers: DecodeMembers,
): Message {
  const fields = objectOf(content, 'fields');
  const stream = integerOf(content, 'stream');
  const metadata = memberOf(fields, 'session_metadata');
  const properties = memberOf(fields, 'properties');
  return new Message({
    text: textOf(content, 'text'),
    stream: stream === null ? null : objects.textStream(stream),
    sender: textOf(fields, 'sender') || null,
    senderName: textOf(fields, 'sender_name') || null,
    files: textsOf(fields, 'files'),
    sessionId: textOf(fields, 'session_id'),
    contextId: textOf(fields, 'context_id'),
    flowId: textOf(fields, 'flow_id') || null,
    runId: textOf(fields, 'run_id') || null,
    timestamp: textOf(fields, 'timestamp'),
    error: memberOf(fields, 'error') === true,
    edit: memberOf(fields, 'edit') === true,
    // Most messages have the default ones, which are left out.
    ...(properties !== undefined && isDict(properties) ? { properties: decodeProperties(properties) } : {}),
    category: categories.find((category) => category === memberOf(fields, 'category')) ?? 'message',
    contentBlocks: listOf(fields, 'content_blocks').map(plainOf),
    duration: integerOf(fields, 'duration'),
    sessionMetadata: metadata !== undefined && isDict(metadata) ? decodeMembers(metadata) : null,
    id: textOf(fields, 'id') || null,
    extra: decodeMembers(objectOf(content, 'extra')),
  });
}

function decodeProperties(properties: PythonObject): MessageProperties {
  const text = (name: string): string | null => textOf(properties, name) || null;
  const source = objectOf(properties, 'source');
  const feedback = memberOf(properties, 'positive_feedback');
  const usage = memberOf(properties, 'usage');
  return {
    text_color: text('text_color'),
    background_color: text('background_color'),
    edited: memberOf(properties, 'edited') === true,
    source: {
      id: textOf(source, 'id') || null,
      display_name: textOf(source, 'display_name') || null,
      source: textOf(source, 'source') || null,
    },
    icon: text('icon'),
    allow_markdown: memberOf(properties, 'allow_markdown') === true,
    positive_feedback: typeof feedback === 'boolean' ? feedback : null,
    state: textOf(properties, 'state') === 'partial' ? 'partial' : 'complete',
    targets: listOf(properties, 'targets').map(plainOf),
    usage: usage !== undefined && isDict(usage) ? decodeUsage(usage) : null,
    build_duration: numberOf(properties, 'build_duration'),
  };
}

/** Returns the token counts in a frame. */
export function decodeUsage(usage: PythonObject): MessageUsage {
  return {
    input_tokens: integerOf(usage, 'input_tokens'),
    output_tokens: integerOf(usage, 'output_tokens'),
    total_tokens: integerOf(usage, 'total_tokens'),
  };
}

function numberOf(object: PythonObject, name: string): number | null {
  const value = plainOf(memberOf(object, name) ?? null);
  return typeof value === 'number' ? value : null;
}
