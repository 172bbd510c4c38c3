import type { PlanVertex } from '../plan/plan';
import type { PlanField } from '../document/plan-field';

/** Fields that contain code or control what code can do, on any component. */
const codeFields: ReadonlySet<string> = new Set([
  'code',
  'allow_dangerous_code',
  'function_code',
  'python_code',
  'tool_code',
  'filter_instruction',
  'global_imports',
]);

const queryFields: ReadonlySet<string> = new Set(['database_url', 'query']);

/**
 * Returns true for a field that no request can change: source code, and the statement and database of an SQL component.
 */
export function isProtectedField(vertex: PlanVertex, field: PlanField): boolean {
  if (field.type === 'code' || codeFields.has(field.name)) return true;
  return vertex.type.includes('SQLComponent') && queryFields.has(field.name);
}
