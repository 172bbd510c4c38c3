import { defineCompatibleModel } from './definition/define-compatible-model';
import { nvidia } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'NVIDIAModelComponent',
  displayName: 'NVIDIA',
  description: 'Calls a chat model of NVIDIA.',
  provider: nvidia,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key', 'nvidia_api_key'],
});
