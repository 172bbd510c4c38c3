import { model } from '@millrace/flow';
import type { SavedFields } from '@millrace/flow';
import { apiKeyFields, handleFields } from './choose-chat-model';
import { findProvider } from './providers';
import type { Provider } from './providers';
import { textSetting } from './text-setting';

const modelField = model();

/**
 * The variable with the key of the model that a node chooses in its fields; null where a wire brings a model or a key, a
 * field holds the key, nothing is chosen, or the provider wants none.
 */
export function chosenModelKey({ values, wired }: SavedFields): string | null {
  if (handleFields.some((name) => wired.has(name))) return null;
  const chosen = modelField.convert(values['model'] ?? null, 'model');
  const choice = chosen !== null && 'name' in chosen ? chosen : null;
  const named = textSetting(values, ['model_name', 'custom_model_name', 'azure_deployment']);
  if (choice === null && named === '') return null;
  const name = textSetting(values, ['agent_llm', 'provider']) || 'OpenAI';
  return providerKey(findProvider(choice?.provider ?? name), apiKeyFields, { values, wired });
}

/** The variable with a provider's key; null where a field or a wire brings one, and for providers that want none. */
export function providerKey(
  provider: Provider | undefined,
  fields: readonly string[],
  { values, wired }: SavedFields,
): string | null {
  const isGiven = fields.some((name) => wired.has(name)) || textSetting(values, fields) !== '';
  return isGiven ? null : (provider?.apiKeyVariable ?? null);
}
