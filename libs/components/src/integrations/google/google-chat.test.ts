import { describeChatProtocol } from '../models/chat-protocol.contract';
import { startGoogleServer } from './google-server.fixture';

describeChatProtocol({
  provider: 'Google',
  start: startGoogleServer,
  variables: (url, key) => ({ GOOGLE_GEMINI_BASE_URL: url, GOOGLE_API_KEY: key }),
  usage: { input_tokens: 7, output_tokens: 6, total_tokens: 13 },
  wrongKey: 'API key not valid. Please pass a valid API key.',
});
