import { useVariables } from '../api/variables';
import type { Options } from './settings-form';

/** The variables that settings of a flow can name. */
export function useVariableOptions(): Options {
  const names = (useVariables().data ?? []).map(({ name }) => ({ value: name, title: name }));
  return { secrets: names, connection: names };
}
