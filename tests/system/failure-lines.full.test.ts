import { startModelServer } from '@millrace/model-server';
import { describeFailureLines } from './describe-failure-lines';
import { startStandalone } from './start-standalone';

const services = { run: ['standalone', 'standalone'], webhook: ['standalone', 'standalone'] };
describeFailureLines('standalone', services, async () => {
  const model = await startModelServer();
  const app = await startStandalone({
    environment: {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    },
  });
  return {
    ...app,
    stop: async () => {
      await app.stop();
      await model.close();
    },
  };
});
