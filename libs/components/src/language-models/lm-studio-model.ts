import { defineCompatibleModel } from './definition/define-compatible-model';
import { lmStudio } from '../integrations/providers/providers';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineCompatibleModel({
  type: 'LMStudioModel',
  displayName: 'LM Studio',
  description: 'Calls a chat model on an LM Studio server.',
  provider: lmStudio,
  errorOf: saidRefusal,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
