import { defineCompatibleModel } from './define-compatible-model';
import { novita } from './providers';

export default defineCompatibleModel({
  type: 'NovitaModel',
  displayName: 'Novita AI',
  description: 'Asks a model of Novita AI.',
  provider: novita,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
