import { isJsonObject } from '../document/json-object';

/**
 * Returns the fields that a tweak of one vertex sets, with their values. An object at a name that is no field tweaks a
 * vertex of the flow that a Run Flow runs: `{"A-1": {"text": "x"}}` sets the field `A-1~text`.
 */
export function tweakedFields(
  tweak: Readonly<Record<string, unknown>>,
  isField: (name: string) => boolean,
): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(tweak).flatMap(([name, value]) =>
    isJsonObject(value) && !isField(name)
      ? Object.entries(value).map(([inner, part]) => [`${name}~${inner}`, part] as const)
      : [[name, value] as const],
  );
}
