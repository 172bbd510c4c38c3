import { jsonDumpsCompact } from '@millrace/python-text';
import { isJsonObject } from '../document/json-object';
import type { Plan, PlanVertex } from '../plan/plan';
import { isProtectedField } from './protected-fields';
import type { Tweaks } from '../run/run-request';
import { isFieldTweak, tweakField } from './tweak-field';
import { tweakedFields } from './tweaked-fields';
import type { RunOverrides } from './vertex-overrides';

/**
 * Applies tweaks by Langflow's rules: an object applies to the vertex with that id, else to the last one with that
 * display name, in the given order; then a single value applies to every vertex that has the field. Tweaks without a
 * match and of protected fields are ignored. `stream` acts as a tweak of every vertex unless it is null or the caller set it.
 */
export function applyTweaks(
  plan: Plan,
  tweaks: Tweaks,
  stream: boolean | null,
  overrides: RunOverrides,
): void {
  const entries = Object.entries(tweaks);
  for (const [key, tweak] of entries) {
    if (!isJsonObject(tweak)) continue;
    const vertex = tweakedVertex(plan, key);
    if (vertex === undefined) continue;
    const fields = tweakedFields(tweak, (name) => vertex.fields.has(name));
    for (const [name, value] of fields) applyTo(vertex, name, value, overrides);
  }
  for (const [name, value] of entries) {
    if (typeof value !== 'object') applyToAll(plan, name, value, overrides);
  }
  if (stream !== null && !Object.hasOwn(tweaks, 'stream')) applyToAll(plan, 'stream', stream, overrides);
}

/** Returns the vertex that a tweak with this key applies to. */
export function tweakedVertex(plan: Plan, key: string): PlanVertex | undefined {
  return (
    plan.vertices.find((vertex) => vertex.id === key) ??
    plan.vertices.findLast((vertex) => vertex.displayName === key)
  );
}

function applyToAll(plan: Plan, name: string, value: unknown, overrides: RunOverrides): void {
  for (const vertex of plan.vertices) applyTo(vertex, name, value, overrides);
}

function applyTo(vertex: PlanVertex, name: string, value: unknown, overrides: RunOverrides): void {
  const saved = vertex.fields.get(name);
  if (saved === undefined || isProtectedField(vertex, saved)) return;
  const json = isJsonObject(value) && isFieldTweak(value) ? value['value'] : value;
  if (vertex.component?.inputs[name]?.holdsJson && json !== null && typeof json !== 'string') {
    overrides.setValue(vertex.index, name, jsonDumpsCompact(json));
    return;
  }
  const field = overrides.get(vertex.index)?.fields.get(name) ?? saved;
  overrides.setField(vertex.index, tweakField(field, value));
}
