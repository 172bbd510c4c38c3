import type { PlanField, PlanVertex } from '../plan/plan';

/** Fields that hold code, or say what code may do, on any component that has them. */
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

/** True for a field that no request may change: source code, and what an SQL component runs and where. */
export function isProtectedField(vertex: PlanVertex, field: PlanField): boolean {
  if (field.type === 'code' || codeFields.has(field.name)) return true;
  return vertex.type.includes('SQLComponent') && queryFields.has(field.name);
}
