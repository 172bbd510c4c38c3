import { startAnthropicServer } from './anthropic-server.fixture';
import { describeChatProtocol } from '../models/chat-protocol.contract';

describeChatProtocol({
  provider: 'Anthropic',
  start: startAnthropicServer,
  variables: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  wrongKey: "Error code: 401 - {'type': 'error', 'error': {'type': 'authentication_error'",
});
