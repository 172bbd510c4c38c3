import type { PythonValue } from '@millrace/python-text';

/**
 * An input of a component. Defines how a value that a flow saves, a tweak sets or an edge delivers becomes the value
 * that `run` receives. `convert` throws a ComponentError with Langflow's message.
 */
export interface Input<T> {
  /** Langflow's input class without "Input": Multiline, MessageText, Message, Data, DataFrame, Handle, Int, … */
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly advanced?: boolean;
  readonly list?: boolean;
  readonly password?: boolean;
  /** The variable that is used when the value is empty. */
  readonly variable?: string;
  /** True when a language model that calls the component as a tool provides this value, false when it never does. */
  readonly tool?: boolean;
  /** The text of the input is JSON: an object or a list that a tweak sets is that JSON. */
  readonly holdsJson?: true;
  readonly options?: readonly string[];
  /** The options are examples: a tool call may have any text. */
  readonly opensOptions?: true;
  /** The types that an edge can deliver; empty when the input accepts no edge. */
  readonly inputTypes: readonly string[];
  readonly default: T;
  convert(value: PythonValue, inputName: string): T;
}

export type InputValues<Inputs extends Readonly<Record<string, Input<unknown>>>> = {
  readonly [Name in keyof Inputs]: Inputs[Name] extends Input<infer T> ? T : never;
};
