import { node } from '../../testing/flow-under-test.fixture';
import { describeChatProtocol } from '../models/chat-protocol.contract';
import { bedrockKey, startBedrockServer } from './bedrock-server.fixture';

describeChatProtocol({
  provider: 'Amazon Bedrock',
  start: startBedrockServer,
  variables: () => ({}),
  modelNode: (url, key) =>
    node('Bedrock-b', 'AmazonBedrockConverseModel', {
      aws_access_key_id: key === 'wrong' ? 'AKIDWRONG' : bedrockKey.id,
      aws_secret_access_key: bedrockKey.secret,
      endpoint_url: url,
    }),
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  wrongKey:
    'An error occurred (UnrecognizedClientException) when calling the Converse operation: The security token',
});
