import {
  boolean,
  ComponentError,
  defineComponent,
  FALLBACK_DECISION,
  dictionary,
  listOf,
  text,
} from '@millrace/flow';
import type { HumanOption } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

const unitSeconds: ReadonlyMap<unknown, number> = new Map([
  ['Minutes', 60],
  ['Hours', 3_600],
  ['Days', 86_400],
]);
const output = { types: ['Message'], method: 'route_branch', tool: false } as const;

export default defineComponent({
  type: 'HumanInput',
  displayName: 'Human Input',
  description: 'Suspends the run until a person has chosen one of its branches.',
  inputs: {
    prompt: text({ displayName: 'Input', multiline: true }),
    decisions: {
      ...listOf(text({ displayName: 'User Choices', required: true })),
      default: ['Approve', 'Reject'],
    },
    timeout: dictionary({ displayName: 'Timeout', advanced: true, default: { value: 3, unit: 'Days' } }),
    enable_fallback: boolean({ displayName: 'Enable Fallback', advanced: true }),
  },
  // A node saves one output for each of its choices; these are the outputs of the default choices.
  outputs: {
    branch_approve: { ...output, displayName: 'Approve' },
    branch_reject: { ...output, displayName: 'Reject' },
    [`branch_${FALLBACK_DECISION}`]: { ...output, displayName: 'Fallback' },
  },
  deterministic: false,
  asksHuman: true,
  routes: true,
  run: ({ prompt, decisions, timeout, enable_fallback: hasFallback }, context) => {
    const outputs = (names: readonly string[]) =>
      Object.fromEntries(names.map((id) => [`branch_${id}`, new Message({ text: prompt })]));
    const options = optionsOf(decisions);
    const choices = options.map(({ action_id }) => action_id);
    // A choice can have the name of the fallback.
    const allowed = [...new Set(hasFallback ? [...choices, FALLBACK_DECISION] : choices)];
    if (allowed.length === 0) throw new ComponentError('There are no choices that a person could take.');
    const decision = context.askHuman({
      kind: 'node_input',
      prompt,
      options,
      allowed_decisions: allowed,
      timeout_seconds: secondsOf(timeout),
      fallback_action: hasFallback ? FALLBACK_DECISION : null,
    });
    if (decision === null) context.status('Skipped: no connected outputs');
    else for (const id of allowed) if (id !== decision.action_id) context.stop(`branch_${id}`);
    return outputs(allowed);
  },
});

/** Returns the choices, each once; the ids are those by which Langflow names the outputs. */
function optionsOf(labels: readonly string[]): readonly HumanOption[] {
  const byId = new Map<string, HumanOption>();
  for (const label of labels.map((given) => given.trim())) {
    const action_id = label.toLowerCase().replaceAll(' ', '_');
    if (action_id !== '' && !byId.has(action_id)) byId.set(action_id, { action_id, label });
  }
  return [...byId.values()];
}

function secondsOf({ value, unit }: PythonObject): number {
  const seconds = unitSeconds.get(unit) ?? 86_400;
  const wanted = Math.max(0, Math.trunc(Number(value ?? 0)) || 0) * seconds;
  return Math.min(wanted, Number.MAX_SAFE_INTEGER);
}
