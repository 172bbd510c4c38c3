import type { PythonObject, PythonValue } from '@millrace/python-text';
import { isModelHandle } from '../../values/handle';
import type { ModelHandle } from '../../values/handle';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

/** A model selected from a list, not yet configured. */
export interface ModelChoice {
  readonly name: string;
  readonly provider: string;
  readonly metadata: PythonObject;
}

/** A language model: a configured one from an edge, or a selection of provider and name; null when none is selected. */
export function model(options: InputOptions = {}): Input<ModelHandle | ModelChoice | null> {
  return {
    ...commonInputMembers(options),
    kind: 'Model',
    inputTypes: options.inputTypes ?? ['LanguageModel'],
    default: null,
    convert: (value) => modelOf(value),
  };
}

function modelOf(value: PythonValue): ModelHandle | ModelChoice | null {
  if (value === null || value === '') return null;
  if (isModelHandle(value)) return value;
  if (typeof value === 'string') return { name: value, provider: 'OpenAI', metadata: {} };
  const chosen: PythonValue | undefined = Array.isArray(value) ? (value as readonly PythonValue[])[0] : value;
  if (chosen === undefined) return null;
  if (isModelHandle(chosen)) return chosen;
  if (!isDict(chosen)) throw new ComponentError(`Invalid value type ${classText(value)}`);
  const { name, provider, metadata } = chosen;
  if (typeof name !== 'string' || name === '') return null;
  return {
    name,
    provider: typeof provider === 'string' ? provider : 'OpenAI',
    metadata: metadata !== undefined && isDict(metadata) ? metadata : {},
  };
}
