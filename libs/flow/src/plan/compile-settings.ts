import type { PythonValue } from '@millrace/python-text';
import type { Component } from '../component/component';
import type { Input } from '../component/input';
import { ComponentError } from '../errors';
import type { PlanEdge, PlanSetting, PlanVertex } from './plan';
import type { PlanField } from '../document/plan-field';
import { isSkipped, resolveField } from './resolve-field';

type CompiledSettings = Pick<
  PlanVertex,
  'settings' | 'inputs' | 'values' | 'connected' | 'variables' | 'failing'
>;

/** Computes the parts of a vertex's values that are the same in every run. */
export function compileSettings(
  component: Component | null,
  fields: ReadonlyMap<string, PlanField>,
  incoming: readonly PlanEdge[],
): CompiledSettings {
  const declared = new Map<string, Input<unknown>>(Object.entries(component?.inputs ?? {}));
  const edgesByField = Map.groupBy(incoming, (edge) => edge.targetField);
  const names = new Set([...declared.keys(), ...fields.keys(), ...edgesByField.keys()]);
  const settings = new Map<string, PlanSetting>();
  const inputs: Record<string, unknown> = {};
  // No prototype, because names are untrusted: a missing prompt variable "constructor" must be missing.
  const values: Record<string, PythonValue> = Object.create(null) as Record<string, PythonValue>;
  for (const name of names) {
    const input = declared.get(name) ?? null;
    const field = fields.get(name) ?? null;
    const edges = edgesByField.get(name) ?? [];
    const value = field === null ? undefined : resolveField(field);
    const list = field?.list ?? input?.list ?? false;
    let failure: ComponentError | null = null;
    if (edges.length === 0) {
      if (value !== undefined) values[name] = value;
      if (input !== null) {
        try {
          inputs[name] = convertSetting(input, value, name);
        } catch (error) {
          failure = error instanceof ComponentError ? error : new ComponentError(String(error), error);
        }
      }
    }
    settings.set(name, { name, input, field, edges, list, value, failure });
  }
  const all = [...settings.values()];
  return {
    settings,
    inputs: Object.freeze(inputs),
    values: Object.freeze(values),
    connected: all.filter((setting) => setting.edges.length > 0),
    variables: all.filter((setting) => setting.edges.length === 0 && usesVariables(setting.field)),
    failing: all.filter((setting) => setting.failure !== null),
  };
}

/**
 * Returns the converted value for the component; the input's default when there is no value. Throws a ComponentError.
 */
export function convertSetting(input: Input<unknown>, value: PythonValue | undefined, name: string): unknown {
  return value === undefined ? input.default : input.convert(value, name);
}

function usesVariables(field: PlanField | null): boolean {
  return namesVariable(field) || hasVariableCells(field);
}

/** Returns true for a table in which some cells are names of stored variables. */
export function hasVariableCells(
  field: PlanField | null,
): field is PlanField & { readonly value: readonly PythonValue[] } {
  return (
    field !== null && field.variableColumns.length > 0 && Array.isArray(field.value) && !isSkipped(field)
  );
}

/** Returns true when the field's value is the name of a stored variable. */
export function namesVariable(field: PlanField | null): field is PlanField & { readonly value: string } {
  return (
    field !== null &&
    field.loadFromDatabase &&
    typeof field.value === 'string' &&
    field.value !== '' &&
    !isSkipped(field)
  );
}
