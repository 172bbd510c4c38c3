import { defineCompatibleModel } from './definition/define-compatible-model';
import { lmStudio } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'LMStudioModel',
  displayName: 'LM Studio',
  description: 'Calls a chat model on an LM Studio server.',
  provider: lmStudio,
  saysRefusals: true,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
