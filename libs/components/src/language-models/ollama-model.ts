import { defineCompatibleModel } from './define-compatible-model';
import { ollama } from './providers';

export default defineCompatibleModel({
  type: 'OllamaModel',
  aliases: ['ChatOllamaComponent'],
  displayName: 'Ollama',
  description: 'Asks a model of Ollama.',
  provider: ollama,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
