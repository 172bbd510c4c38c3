import type { Plan } from '@millrace/flow';
import { RunError } from '@millrace/flow';

/**
 * Returns whether every attempt of a run that read no stored variable fails as this one did: a vertex failed whose values
 * come from the request alone, and from components that always give the same for the same.
 */
export function mustFailAgain(plan: Plan, error: unknown): boolean {
  if (!(error instanceof RunError) || error.code !== 'component_failed' || !error.permanent) return false;
  const failed = plan.vertices.find(({ id }) => id === error.vertex?.id);
  if (failed === undefined) return false;
  const pending = [failed];
  const seen = new Set(pending);
  for (const { component, python, incoming } of pending) {
    if (component?.deterministic !== true || python !== null) return false;
    for (const { source } of incoming) {
      const vertex = plan.vertices[source];
      if (vertex === undefined || seen.has(vertex)) continue;
      seen.add(vertex);
      pending.push(vertex);
    }
  }
  return true;
}
