import type { PythonValue } from '../values/python-value';

/**
 * An input of a component: how the value saved in a flow, given by a tweak or brought by a wire becomes the value
 * that `run` receives. `convert` throws a ComponentError whose message is what Langflow says.
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
  /** The variable that stands in for the value when it is empty. */
  readonly variable?: string;
  /** A language model that uses the component as a tool gives this value. */
  readonly tool?: boolean;
  readonly options?: readonly string[];
  /** What a wire may bring; empty when the input cannot be wired. */
  readonly inputTypes: readonly string[];
  readonly default: T;
  convert(value: PythonValue, inputName: string): T;
}

export type InputValues<Inputs extends Readonly<Record<string, Input<unknown>>>> = {
  readonly [Name in keyof Inputs]: Inputs[Name] extends Input<infer T> ? T : never;
};
