import { defineCompatibleModel } from './definition/define-compatible-model';
import { sambaNova } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'SambaNovaModel',
  aliases: ['SambaNovaComponent'],
  displayName: 'SambaNova',
  description: 'Calls a chat model of SambaNova.',
  provider: sambaNova,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key', 'sambanova_api_key'],
});
