import { ComponentError, model } from '@millrace/flow';
import type { SavedFields } from '@millrace/flow';
import { apiKeyFields, handleFields } from './choose-chat-model';
import { findProvider } from '../../integrations/providers/providers';
import type { Provider } from '../../integrations/providers/providers';
import { textSetting } from '../../integrations/text-setting';

const modelField = model();

/**
 * Returns the variable with the key of the model that a node selects in its fields. Null when a model or a key is
 * connected, a field contains the key, no model is selected, or the provider needs no key.
 */
export function chosenModelKey({ values, connected }: SavedFields): string | null {
  if (handleFields.some((name) => connected.has(name))) return null;
  const choice = chosenModel(values);
  const named = textSetting(values, ['model_name', 'custom_model_name', 'azure_deployment']);
  if (choice === null && named === '') return null;
  const name = textSetting(values, ['agent_llm', 'provider']) || 'OpenAI';
  return providerKey(findProvider(choice?.provider ?? name), apiKeyFields, { values, connected });
}

/** Returns null also for a value that is no choice of a model: a run fails with the reason. */
function chosenModel(values: SavedFields['values']): { readonly provider: string } | null {
  try {
    const chosen = modelField.convert(values['model'] ?? null, 'model');
    return chosen !== null && 'name' in chosen ? chosen : null;
  } catch (error) {
    if (error instanceof ComponentError) return null;
    throw error;
  }
}

/** Returns the variable with a provider's key; null when a field or an edge supplies it, or the provider needs none. */
export function providerKey(
  provider: Provider | undefined,
  fields: readonly string[],
  { values, connected }: SavedFields,
): string | null {
  const isGiven = fields.some((name) => connected.has(name)) || textSetting(values, fields) !== '';
  return isGiven ? null : (provider?.apiKeyVariable ?? null);
}
