import type { Plan, PlanVertex } from '../plan/plan';
import { applyTweaks } from './apply-tweaks';
import type { InputType, RunInput, RunRequest } from '../run/run-request';
import { RunOverrides } from './vertex-overrides';

const noFieldVariables: ReadonlyMap<string, string> = new Map();

/**
 * Returns all changes that a request and one of its inputs make to a plan. `fieldVariables` has the names of variables
 * that fill empty fields, by the display names of the fields. The plan is not modified.
 */
export function runOverrides(
  plan: Plan,
  request: RunRequest,
  input: RunInput | null,
  fieldVariables: ReadonlyMap<string, string> = noFieldVariables,
): RunOverrides {
  const overrides = new RunOverrides();
  applyTweaks(plan, request.tweaks, request.keepsStreamFields ? null : request.stream, overrides);
  if (fieldVariables.size > 0) fillDefaultFields(plan, fieldVariables, overrides);
  for (const vertex of plan.vertices) {
    if (request.webhookPayload !== undefined && vertex.id.includes('Webhook')) {
      overrides.setValue(vertex.index, 'data', request.webhookPayload);
    }
    if (request.files !== undefined && vertex.type === 'ChatInput') {
      overrides.setValue(vertex.index, 'files', request.files);
    }
    if (input !== null && takesInput(vertex, input)) {
      overrides.setValue(vertex.index, 'input_value', input.inputValue);
    }
    // The run's session takes precedence over a saved or tweaked one.
    if (vertex.fields.has('session_id')) {
      overrides.setValue(vertex.index, 'session_id', request.sessionId);
    }
  }
  return overrides;
}

const inputVertexType: Readonly<Record<InputType, string | null>> = {
  chat: 'ChatInput',
  text: 'TextInput',
  any: null,
};

function takesInput(vertex: PlanVertex, { type, components }: RunInput): boolean {
  if (!vertex.isInput || !vertex.settings.has('input_value')) return false;
  const wanted = inputVertexType[type];
  if (wanted !== null && vertex.type !== wanted) return false;
  return components.length === 0 || components.includes(vertex.id) || components.includes(vertex.displayName);
}

/** As in Langflow, a variable fills a visible text field of its display name that is still empty after the tweaks. */
function fillDefaultFields(
  plan: Plan,
  fieldVariables: ReadonlyMap<string, string>,
  overrides: RunOverrides,
): void {
  for (const vertex of plan.vertices) {
    for (const saved of vertex.fields.values()) {
      const variable = fieldVariables.get(saved.displayName);
      if (variable === undefined) continue;
      const field = overrides.get(vertex.index)?.fields.get(saved.name) ?? saved;
      const isEmpty = field.value === null || field.value === '';
      if (field.type !== 'str' || !field.show || field.loadFromDatabase || !isEmpty) continue;
      overrides.setField(vertex.index, { ...field, value: variable, loadFromDatabase: true });
    }
  }
}
