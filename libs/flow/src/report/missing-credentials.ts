import { namesVariable } from '../plan/compile-settings';
import type { PlanSetting, PlanVertex } from '../plan/plan';
import { isSkipped } from '../plan/resolve-field';

/**
 * What a vertex lacks to show who it is: for each secret that nothing fills, the variable that its field names or that
 * stands in for an empty one, else the field. Last the variable with the key of what the node chooses in its fields.
 */
export function missingCredentials(
  vertex: PlanVertex,
  hasVariable: (name: string) => boolean,
): readonly string[] {
  const lacking = [...vertex.settings.values()]
    .filter((setting) => isSecret(setting) && setting.wires.length === 0)
    .flatMap((setting) => {
      const name = lackingName(setting, hasVariable);
      return name === null ? [] : [name];
    });
  const chosen = chosenKey(vertex);
  return chosen === null || hasVariable(chosen) ? lacking : [...new Set([...lacking, chosen])];
}

function chosenKey({ component, values, wired }: PlanVertex): string | null {
  return component?.keyVariable?.({ values, wired: new Set(wired.map(({ name }) => name)) }) ?? null;
}

function isSecret({ input, field }: PlanSetting): boolean {
  return input !== null && (input.password === true || field?.password === true);
}

/** Null when the secret is there, is not needed, or is hidden, so that no run reads it. */
function lackingName(setting: PlanSetting, hasVariable: (name: string) => boolean): string | null {
  const { name, input, field, value } = setting;
  if (field !== null && isSkipped(field)) return null;
  if (namesVariable(field)) return hasVariable(field.value) ? null : field.value;
  const isEmpty = (value ?? input?.default ?? '') === '';
  if (!isEmpty || !(input?.required ?? false)) return null;
  const standIn = input?.variable;
  if (standIn === undefined) return `its field "${name}"`;
  return hasVariable(standIn) ? null : standIn;
}
