import { Data, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';
import { messageFromDict } from './message-from-dict';

export interface TextOptions extends InputOptions {
  readonly default?: string;
  /** Shown as a text area. */
  readonly multiline?: boolean;
  /** True for a plain setting, which accepts no edge. */
  readonly plain?: boolean;
}

/** A text. A connected message provides its text, connected data the value under its text key. */
export function text(options: TextOptions = {}): Input<string> {
  const fallback = options.default ?? '';
  return {
    ...commonInputMembers(options),
    kind: options.plain ? 'Str' : options.multiline ? 'Multiline' : 'MessageText',
    inputTypes: options.inputTypes ?? (options.plain ? [] : ['Message']),
    default: fallback,
    convert: (value, inputName) => (value === null ? fallback : textOf(value, inputName)),
  };
}

function textOf(value: PythonValue, inputName: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return dataText(value, inputName);
  if (isDict(value)) return messageFromDict(value).text;
  throw new ComponentError(`Invalid value type ${classText(value)}`);
}

function dataText({ data, textKey }: Data, inputName: string): string {
  if (!Object.hasOwn(data, textKey)) {
    const keys = Object.keys(data).join(', ');
    throw new ComponentError(
      `The input to '${inputName}' must contain the key '${textKey}'.` +
        `You can set \`text_key\` to one of the following keys: ${keys} or set the value using another Component.`,
    );
  }
  const value = data[textKey] ?? null;
  if (typeof value === 'string') return value;
  throw new ComponentError(`Invalid value type ${classText(value)}`);
}
