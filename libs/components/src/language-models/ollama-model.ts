import { defineCompatibleModel } from './definition/define-compatible-model';
import { ollama } from '../integrations/models/providers';

export default defineCompatibleModel({
  type: 'OllamaModel',
  aliases: ['ChatOllamaComponent'],
  displayName: 'Ollama',
  description: 'Calls a chat model on an Ollama server.',
  provider: ollama,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
