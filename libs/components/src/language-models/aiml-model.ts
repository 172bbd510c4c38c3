import { defineCompatibleModel } from './definition/define-compatible-model';
import { aiml } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'AIMLModel',
  aliases: ['AIMLAPIModel'],
  displayName: 'AI/ML API',
  description: 'Calls a chat model through AI/ML API.',
  provider: aiml,
  baseUrlFields: ['aiml_api_base', 'aimlapi_base'],
  apiKeyFields: ['api_key', 'aimlapi_api_key'],
  errorOf: (error) => error,
});
