import type { RunResponse } from '@millrace/flow';
import { makePdf } from '@millrace/documents/testing';
import { flowData, forAllTests, node } from '@millrace/testing';
import type { FlowNode } from '@millrace/testing';
import { startTestSystem } from './test-system';

const system = forAllTests(() => startTestSystem({ pools: { default: 2 } }));

async function createFlow(nodes: readonly FlowNode[], edges: readonly string[]): Promise<string> {
  const response = await system.post('/api/v1/flows/', { name: 'files', data: flowData(nodes, edges) });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Uploads a file as multipart form data. */
async function upload<Answer>(path: string, name: string, content: string | Buffer): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  const { 'x-api-key': key = '' } = system.headers;
  const response = await fetch(`${system.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Answer;
}

async function textOf(flowId: string, body: object): Promise<string> {
  const response = await system.post(`/api/v1/run/${flowId}`, body);
  expect(response.status).toBe(200);
  const { outputs } = (await response.json()) as RunResponse;
  return String(outputs[0]?.outputs[0]?.outputs['message']?.message);
}

const output = node('ChatOutput-z', {}, 'message');

test('a run reads a document that was uploaded for its flow', async () => {
  const flowId = await createFlow(
    [
      node('File-a', { path: [] }, 'dataframe'),
      node('ParserComponent-b', { mode: 'Parser', pattern: 'It says: {text}', sep: '' }, 'parsed_text'),
      output,
    ],
    [
      'File-a.dataframe > ParserComponent-b.input_data',
      'ParserComponent-b.parsed_text > ChatOutput-z.input_value',
    ],
  );
  const place = `/api/v1/files/upload/${flowId}`;
  for (const page of ['first', 'second']) {
    const { file_path } = await upload<{ file_path: string }>(place, 'a.pdf', makePdf([[page], ['end']]));
    const tweaks = { 'File-a': { path: [file_path] } };
    expect(await textOf(flowId, { tweaks })).toBe(`It says: ${page}\n\nend`);
  }
  const missing = await system.post(`/api/v1/run/${flowId}`, {
    tweaks: { 'File-a': { path: 'missing.txt' } },
  });
  expect(missing.status).toBe(500);
  expect(await missing.text()).toContain('Please upload the file again.');
});

test('a run splits a file of its user that the flow names', async () => {
  const { path } = await upload<{ path: string }>('/api/v2/files', 'lines.txt', 'one\ntwo\nthree');
  const flowId = await createFlow(
    [
      node('File-a', { path: [path] }, 'message'),
      node('SplitText-b', { separator: '\n', chunk_size: 3, chunk_overlap: 0 }, 'dataframe'),
      node('ParserComponent-c', { mode: 'Parser', pattern: '{text}', sep: ' | ' }, 'parsed_text'),
      output,
    ],
    [
      'File-a.message > SplitText-b.data_inputs',
      'SplitText-b.dataframe > ParserComponent-c.input_data',
      'ParserComponent-c.parsed_text > ChatOutput-z.input_value',
    ],
  );
  expect(await textOf(flowId, {})).toBe('one | two | three');
});

test('a file that a run saves can be downloaded, and the next run appends to it', async () => {
  const flowId = await createFlow(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('SaveToFile-s', { file_name: 'diary', local_format: 'txt', append_mode: true }, 'message'),
      output,
    ],
    ['ChatInput-i.message > SaveToFile-s.input', 'SaveToFile-s.message > ChatOutput-z.input_value'],
  );
  expect(await textOf(flowId, { input_value: 'Monday' })).toMatch(
    /saved successfully as 'diary\.txt' at .+\/diary\.txt/,
  );
  expect(await textOf(flowId, { input_value: 'Tuesday' })).toContain("appended to 'diary.txt' at ");
  const files = await system.getJson<{ id: string; name: string }[]>('/api/v2/files');
  const diaries = files.filter(({ name }) => name === 'diary');
  expect(diaries).toHaveLength(1);
  const content = await fetch(`${system.url}/api/v2/files/${diaries[0]?.id}`, { headers: system.headers });
  expect(await content.text()).toBe('Monday\nTuesday');
});
