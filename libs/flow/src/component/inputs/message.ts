import { Data, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { messageFromDict } from './message-from-dict';
import { isDict } from './python-dict';

/** A complete message with text, sender and files; plain text becomes a message. Null for an empty value. */
export function message(options: InputOptions = {}): Input<Message | null> {
  return {
    ...commonInputMembers(options),
    kind: 'Message',
    inputTypes: options.inputTypes ?? ['Message'],
    default: null,
    convert: (value) => messageOf(value),
  };
}

function messageOf(value: PythonValue): Message | null {
  if (value === null || value instanceof Message) return value;
  if (typeof value === 'string') return value === '' ? null : new Message({ text: value });
  if (value instanceof Data) return messageFromDict(value.data);
  if (isDict(value)) return messageFromDict(value);
  throw new ComponentError(`Invalid value type ${classText(value)}`);
}
