import { defineCompatibleModel } from './definition/define-compatible-model';
import { openRouter } from '../integrations/providers/providers';
import { textSetting } from '../integrations/text-setting';

export default defineCompatibleModel({
  type: 'OpenRouterComponent',
  displayName: 'OpenRouter',
  description: 'Calls a chat model through OpenRouter.',
  provider: openRouter,
  temperature: 0.7,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
  headers: (fields) => ({
    ...header('HTTP-Referer', textSetting(fields, ['site_url'])),
    ...header('X-Title', textSetting(fields, ['app_name'])),
  }),
});

function header(name: string, value: string): Readonly<Record<string, string>> {
  return value === '' ? {} : { [name]: value };
}
