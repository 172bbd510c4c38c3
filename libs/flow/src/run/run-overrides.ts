import type { Plan, PlanVertex } from '../plan/plan';
import { applyTweaks } from './apply-tweaks';
import type { InputType, RunInput, RunRequest } from './run-request';
import { RunOverrides } from './vertex-overrides';

/** Returns all changes that a request and one of its inputs make to a plan. The plan is not modified. */
export function runOverrides(plan: Plan, request: RunRequest, input: RunInput | null): RunOverrides {
  const overrides = new RunOverrides();
  applyTweaks(plan, request.tweaks, request.stream, overrides);
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
