import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  float,
  listOf,
  model,
  secret,
  text,
} from '@millrace/flow';
import type { ComponentContext, ComponentOutputs } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import { chosenChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';
import { passesGuardrail } from './guardrails/ask-guardrail';
import { phraseScore, selectedChecks } from './guardrails/guardrail-checks';

const defaultThreshold = 0.7;

export default defineComponent({
  type: 'GuardrailValidator',
  aliases: ['GuardrailValidatorV2', 'GuardrailsComponent'],
  displayName: 'Guardrails',
  typeNames: { GuardrailValidator: 'Guardrails (Legacy)' },
  description: 'Checks a text for unsafe or sensitive content with a language model.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    enabled_guardrails: listOf(text({ displayName: 'Guardrails', plain: true, required: true })),
    input_text: text({ displayName: 'Input Text', multiline: true, required: true }),
    enable_custom_guardrail: boolean({ displayName: 'Enable Custom Guardrail', advanced: true }),
    custom_guardrail_explanation: text({
      displayName: 'Custom Guardrail Description',
      multiline: true,
      advanced: true,
    }),
    heuristic_threshold: float({
      displayName: 'Heuristic Detection Threshold',
      slider: true,
      default: defaultThreshold,
      advanced: true,
    }),
    checking_method: dropdown({
      displayName: 'Checking Method',
      options: ['AI checks', 'Rules + AI', 'Rules only'],
      default: 'AI checks',
    }),
  },
  outputs: {
    pass_result: { types: ['Message'], displayName: 'Pass', method: 'pass_message' },
    failed_result: { types: ['Message'], displayName: 'Fail', method: 'fail_message' },
    data_result: { types: ['Data', 'JSON'], displayName: 'Result Data', method: 'result_data' },
  },
  deterministic: false,
  reusable: true,
  routes: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const { input_text, heuristic_threshold } = inputs;
    if (inputs.checking_method !== 'AI checks') {
      throw new ComponentError(
        `The checking method "${inputs.checking_method}" is not supported; "AI checks" is.`,
      );
    }
    if (input_text.trim() === '') {
      throw new ComponentError('Input text is empty. Please provide valid text for guardrail validation.');
    }
    const custom = inputs.enable_custom_guardrail ? inputs.custom_guardrail_explanation.trim() : '';
    const checks = selectedChecks(inputs.enabled_guardrails, custom);
    if (inputs.enabled_guardrails.length === 0 && custom === '') {
      throw new ComponentError('No guardrails enabled. Please select at least one guardrail to validate.');
    }
    const chat = await chosenChatModel(inputs.model, 'No LLM provided for validation', context);
    const threshold = heuristic_threshold || defaultThreshold;
    for (const check of checks) {
      const score = check.knowsPhrases ? phraseScore(input_text) : null;
      const passes =
        (score === null || score < threshold) && (await passesGuardrail(chat, check, input_text, context));
      if (passes) continue;
      const justification = `${check.name}: ${check.justification}`;
      const skipped =
        checks.length > 1 ? ` (stopped early after 1 check(s), skipped ${checks.length - 1})` : '';
      context.stop('pass_result');
      return withStatus(`FAILED: Guardrail validation failed${skipped}:\n${justification}`, context, {
        pass_result: new Message({ text: '' }),
        failed_result: new Message({ text: justification, error: true }),
        data_result: new Data({ text: input_text, result: 'fail', justification }, { defaultValue: null }),
      });
    }
    context.stop('failed_result');
    return withStatus(`OK: All ${checks.length} guardrail checks passed`, context, {
      pass_result: new Message({ text: input_text }),
      failed_result: new Message({ text: '' }),
      data_result: new Data({ text: input_text, result: 'pass' }, { defaultValue: null }),
    });
  },
});

/** The first output that is computed has the status; behind a message its text is. */
function withStatus(status: string, context: ComponentContext, outputs: ComponentOutputs): ComponentOutputs {
  let shown = status;
  for (const [name, value] of Object.entries(outputs)) {
    if (!context.wants(name)) continue;
    context.status(shown, name);
    if (value instanceof Message) shown = value.text;
  }
  return outputs;
}
