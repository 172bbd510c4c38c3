import { Message } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

const known = new Set(['text', 'sender', 'sender_name', 'session_id', 'context_id', 'flow_id', 'files']);

/** Creates a message from an object in a flow file or a tweak; unknown members are kept. */
export function messageFromDict(dict: PythonObject): Message {
  const extra = Object.entries(dict).filter(([key]) => !known.has(key));
  return new Message({
    text: textOr(dict['text'], ''),
    sender: textOr(dict['sender'], null),
    senderName: textOr(dict['sender_name'], null),
    sessionId: textOr(dict['session_id'], ''),
    contextId: textOr(dict['context_id'], ''),
    flowId: textOr(dict['flow_id'], null),
    files: Array.isArray(dict['files']) ? dict['files'].filter((file) => typeof file === 'string') : [],
    extra: Object.fromEntries(extra),
  });
}

function textOr<Fallback>(value: PythonValue | undefined, fallback: Fallback): string | Fallback {
  return typeof value === 'string' ? value : fallback;
}
