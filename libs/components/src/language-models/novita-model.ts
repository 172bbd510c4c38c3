import { defineCompatibleModel } from './definition/define-compatible-model';
import { novita } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'NovitaModel',
  displayName: 'Novita AI',
  description: 'Calls a chat model of Novita AI.',
  provider: novita,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
