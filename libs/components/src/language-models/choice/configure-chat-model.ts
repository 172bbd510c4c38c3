import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ChatParameters } from '../../integrations/models/chat-parameters';
import { modelEndpoint } from '../../integrations/providers/resolve-model-endpoint';
import type { EndpointSettings } from '../../integrations/providers/resolve-model-endpoint';
import type { Provider } from '../../integrations/providers/providers';

export interface ChatSettings extends ChatParameters, EndpointSettings {
  readonly model: string;
}

/** Builds a model from a component's settings. */
export async function configureChatModel(
  provider: Provider,
  settings: ChatSettings,
  context: ComponentContext,
): Promise<ChatModel> {
  if (settings.model === '') throw new ComponentError('A model selection is required');
  const scope = await provider.scope?.(context);
  return {
    ...(await modelEndpoint(provider, settings, context)),
    model: settings.model,
    protocol: provider.protocol,
    parameters: provider.protocol.parameters(settings.model, {
      ...settings,
      further: { ...settings.further, ...scope },
    }),
  };
}
