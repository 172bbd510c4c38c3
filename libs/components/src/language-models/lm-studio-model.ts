import { defineCompatibleModel } from './define-compatible-model';
import { lmStudio } from './providers';

export default defineCompatibleModel({
  type: 'LMStudioModel',
  displayName: 'LM Studio',
  description: 'Asks a model of LM Studio.',
  provider: lmStudio,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
