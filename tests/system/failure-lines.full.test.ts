import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import { startServiceProcess } from '@millrace/scaled-system';
import { describeFailureLines } from './describe-failure-lines';

const directory = mkdtempSync(join(tmpdir(), 'millrace-failure-lines-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const services = { run: ['standalone', 'standalone'], webhook: ['standalone', 'standalone'] };
describeFailureLines('standalone', services, async () => {
  const key = 'sk-0123456789-of-the-first-user';
  const lines: string[] = [];
  const model = await startModelServer();
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: {
      DATABASE_URL: '',
      AMQP_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'info',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      MILLRACE_BOOTSTRAP_API_KEY: key,
    },
    print: (line) => lines.push(line),
  });
  return {
    url: `http://127.0.0.1:${String(service.ready['port'])}`,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    lines,
    stop: async () => {
      await service.stop();
      await model.close();
    },
  };
});
