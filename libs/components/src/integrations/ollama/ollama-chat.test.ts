import { node } from '../../testing/flow-under-test.fixture';
import { describeChatProtocol } from '../models/chat-protocol.contract';
import { startOllamaServer } from './ollama-server.fixture';

describeChatProtocol({
  provider: 'Ollama',
  start: startOllamaServer,
  variables: () => ({}),
  modelNode: (url, key) =>
    node('Ollama-o', 'OllamaModel', { model_name: 'llama', base_url: url, api_key: key, num_ctx: 8192 }),
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  wrongKey: "Error code: 401 - {'error': 'unauthorized'}",
});
