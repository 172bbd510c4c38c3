import type { PythonObject, PythonValue } from './python-value';

/** Langflow's Data (JSON): an object with a key for its text. */
export class Data {
  readonly data: PythonObject;
  readonly textKey: string;
  readonly defaultValue: string | null;

  constructor(
    data: PythonObject = {},
    options: { readonly textKey?: string; readonly defaultValue?: string | null } = {},
  ) {
    this.data = data;
    this.textKey = options.textKey ?? 'text';
    this.defaultValue = options.defaultValue === undefined ? '' : options.defaultValue;
  }

  /** Returns the value under the text key, or the default. */
  get text(): PythonValue {
    return Object.hasOwn(this.data, this.textKey)
      ? (this.data[this.textKey] ?? this.defaultValue)
      : this.defaultValue;
  }

  toJSON(): unknown {
    return this.data;
  }
}
