import { startModelServer } from '@millrace/model-server';
import { describeVertexRecords } from './describe-vertex-records';
import { startStandalone } from './start-standalone';

describeVertexRecords('standalone', async () => {
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
