import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import { startServiceProcess } from '@millrace/scaled-system';
import { describeVertexRecords } from './describe-vertex-records';

const directory = mkdtempSync(join(tmpdir(), 'millrace-vertex-records-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeVertexRecords('standalone', async () => {
  const key = 'sk-0123456789-of-the-first-user';
  const model = await startModelServer();
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: {
      DATABASE_URL: '',
      AMQP_URL: '',
      REDIS_URL: '',
      MILLRACE_BOOTSTRAP_API_KEY: key,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    },
    print: () => undefined,
  });
  return {
    url: `http://127.0.0.1:${String(service.ready['port'])}`,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    stop: async () => {
      await service.stop();
      await model.close();
    },
  };
});
