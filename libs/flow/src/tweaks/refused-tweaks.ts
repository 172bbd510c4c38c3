import { isJsonObject } from '../document/json-object';
import type { Plan } from '../plan/plan';
import { isProtectedField } from './protected-fields';
import type { Tweaks } from '../run/run-request';
import { tweakedFields } from './tweaked-fields';

/** The fields of a vertex that no request can change. */
export interface ProtectedFields {
  readonly vertexId: string;
  readonly displayName: string;
  readonly names: readonly string[];
}

/** Returns the protected fields of each vertex, in node order. */
export function protectedFields(plan: Plan): readonly ProtectedFields[] {
  return plan.vertices.map((vertex) => ({
    vertexId: vertex.id,
    displayName: vertex.displayName,
    names: [...vertex.fields.values()]
      .filter((field) => isProtectedField(vertex, field))
      .map(({ name }) => name),
  }));
}

/**
 * Returns the names of the protected fields that tweaks would change, sorted. Tweaks of unknown vertices and fields
 * change nothing, and are no error.
 */
export function refusedTweaks(vertices: readonly ProtectedFields[], tweaks: Tweaks): readonly string[] {
  const refused = new Set<string>();
  for (const [key, tweak] of Object.entries(tweaks)) {
    if (!isJsonObject(tweak)) {
      if (vertices.some(({ names }) => names.includes(key))) refused.add(key);
      continue;
    }
    const vertex =
      vertices.find(({ vertexId }) => vertexId === key) ??
      vertices.findLast(({ displayName }) => displayName === key);
    if (vertex === undefined) continue;
    const isRefused = (name: string): boolean => vertex.names.includes(name);
    for (const [name] of tweakedFields(tweak, isRefused)) if (isRefused(name)) refused.add(name);
  }
  return [...refused].sort();
}
