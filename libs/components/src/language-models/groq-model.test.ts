import { describeCompatibleModel } from './compatible-model.contract';

// The field names of files before 1.8; the current ones are empty there.
describeCompatibleModel('GroqModel', {
  baseUrlField: 'groq_api_base',
  apiKeyField: 'groq_api_key',
  path: '/openai/v1',
  values: { base_url: '', api_key: '' },
});
