import { namesVariable } from '../plan/compile-settings';
import type { PlanSetting, PlanVertex } from '../plan/plan';
import { isSkipped } from '../plan/resolve-field';

/**
 * Returns the missing credentials of a vertex: for each secret without a value, the variable that its field names or
 * that provides an empty one, else the field; then the variable with the key for the node's selection.
 */
export function missingCredentials(
  vertex: PlanVertex,
  hasVariable: (name: string) => boolean,
): readonly string[] {
  const missing = [...vertex.settings.values()]
    .filter((setting) => isSecret(setting) && setting.edges.length === 0)
    .flatMap((setting) => {
      const name = missingName(setting, hasVariable);
      return name === null ? [] : [name];
    });
  const chosen = chosenKey(vertex);
  return chosen === null || hasVariable(chosen) ? missing : [...new Set([...missing, chosen])];
}

function chosenKey({ component, values, connected }: PlanVertex): string | null {
  return component?.keyVariable?.({ values, connected: new Set(connected.map(({ name }) => name)) }) ?? null;
}

function isSecret({ input, field }: PlanSetting): boolean {
  return input !== null && (input.password === true || field?.password === true);
}

/** Returns null when the secret has a value, is not required, or is hidden, so that no run reads it. */
function missingName(setting: PlanSetting, hasVariable: (name: string) => boolean): string | null {
  const { name, input, field, value } = setting;
  if (field !== null && isSkipped(field)) return null;
  if (namesVariable(field)) return hasVariable(field.value) ? null : field.value;
  const isEmpty = (value ?? input?.default ?? '') === '';
  if (!isEmpty || !(input?.required ?? false)) return null;
  const fallbackVariable = input?.variable;
  if (fallbackVariable === undefined) return `its field "${name}"`;
  return hasVariable(fallbackVariable) ? null : fallbackVariable;
}
