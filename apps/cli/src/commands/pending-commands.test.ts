import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { flowData, node } from '@millrace/testing';
import { openCliServer } from '../testing/cli-server.fixture';
import type { CliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';

/** Answers each request with two calls of the calculator. */
let model: Server;
let server: CliServer;
let environment: CliServer['environment'];

beforeAll(async () => {
  const calls = ['1+1', '2+2'].map((expression, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: 'evaluate_expression', arguments: JSON.stringify({ expression }) },
  }));
  const message = { role: 'assistant', content: null, tool_calls: calls };
  model = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
  server = await openCliServer({ MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32' });
  environment = { ...server.environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: server.key };
}, 60_000);

afterAll(async () => {
  model.close();
  await server.close();
});

const run = (...words: string[]) => cli(words, { environment });

/** Resolves to the id of a run of this flow that waits. */
async function asking(name: string, data: object, settings = {}): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': server.key };
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; job_id: string; status: string };
  };
  const { id: flow_id } = await post('/api/v1/flows/', { name, data, settings });
  const { job_id: id, status } = await post('/api/v2/workflows', { flow_id, input_value: 'ship it?' });
  expect(status).toBe('suspended');
  return id;
}

test('pending lists what runs ask, and says when there is nothing to answer', async () => {
  const listed = await run('pending', 'list', '--json');
  expect([listed.code, JSON.parse(listed.output)]).toEqual([0, { requests: [] }]);
  const id = '0199d0b2-7c1e-7000-8000-0242ac120002';
  expect(await run('pending', 'answer', id, 'approve')).toMatchObject({
    faults: expect.stringContaining(`Run ${id} waits for no answer.`),
  });
  expect(await run('pending', 'answer', id, 'approve', '--request', 'x')).toMatchObject({
    faults: expect.stringContaining(`Run ${id} waits for no answer.`),
  });
});

const question = flowData(
  [
    node('ChatInput-i', { input_value: '' }, 'message'),
    ...['a', 'b'].flatMap((name) => [
      node(`HumanInput-${name}`, { prompt: '' }, 'branch_approve'),
      node(`TextOutput-${name}`, { input_value: '' }, 'text'),
    ]),
  ],
  ['a', 'b'].flatMap((name) => [
    `ChatInput-i.message > HumanInput-${name}.prompt`,
    `HumanInput-${name}.branch_approve > TextOutput-${name}.input_value`,
  ]),
);

test('an answer names one of several questions, and a decision that it allows', async () => {
  const id = await asking('asks twice', question);
  const answer = (...words: string[]) => run('pending', 'answer', id, ...words);
  const first = `HumanInput-a:${id}`;
  const faultsOf = async (...words: string[]) => (await answer(...words)).faults;
  const faults = await faultsOf('approve');
  for (const vertex of ['HumanInput-a', 'HumanInput-b'])
    expect(faults).toContain(`\n  ${vertex}:${id}   ship it?\n`);
  expect(await faultsOf('approve', '--request', 'x')).toContain('has no request x that waits');
  expect(await faultsOf('yes', '--request', first)).toContain('The request allows approve, reject: not yes.');
  expect((await answer('approve', '--request', first)).code).toBe(0);
});

test('the list has the users who can answer a question', async () => {
  const user = await fetch(`${server.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': server.key },
    body: JSON.stringify({ username: 'ann' }),
  });
  expect(user.status).toBe(201);
  const askedIn = async (name: string, answeredBy?: readonly string[]) => {
    const id = await asking(name, question, answeredBy && { answeredBy });
    const { output } = await run('pending', 'list', '--flow', name);
    return {
      id,
      asked: output
        .split('\n')
        .find((line) => line.includes(id))
        ?.split('approve,reject')[1]
        ?.trim(),
    };
  };
  expect((await askedIn('asks its owner')).asked).toMatch(/^you +ship it\?/);
  expect((await askedIn('asks admins', ['superusers', 'ann'])).asked).toMatch(
    /^you \(superusers,ann\) +ship it\?/,
  );
  const { id, asked } = await askedIn('asks another', ['ann']);
  expect(asked).toMatch(/^ann +ship it\?/);
  expect(await run('pending', 'answer', id, 'approve', '--request', `HumanInput-a:${id}`)).toMatchObject({
    code: 77,
    faults: expect.stringContaining('The flow names who answers its questions: ann.') as string,
  });
});

test('the list shows each call of an approval, and a refused answer says why', async () => {
  const template = { name: 'tools_metadata', type: 'tools', list: true, show: true };
  const row = { name: 'evaluate_expression', tags: ['evaluate_expression'], status: true };
  const value = [{ ...row, approval_actions: ['approve', 'edit'] }];
  const { port } = model.address() as AddressInfo;
  const data = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node(
        'OpenAIModel-m',
        { api_key: 'sk-test', openai_api_base: `http://127.0.0.1:${port}/v1` },
        { name: 'model_output', types: ['LanguageModel'] },
      ),
      node(
        'CalculatorComponent-t',
        { tools_metadata: { ...template, value } },
        { name: 'component_as_tool', types: ['Tool'] },
      ),
      node('ToolCallingAgent-a', { model: '', tools: '', input_value: '' }, 'response'),
      node('TextOutput-z', { input_value: '' }, 'text'),
    ],
    [
      'ChatInput-i.message > ToolCallingAgent-a.input_value',
      'OpenAIModel-m.model_output > ToolCallingAgent-a.model',
      'CalculatorComponent-t.component_as_tool > ToolCallingAgent-a.tools',
      'ToolCallingAgent-a.response > TextOutput-z.input_value',
    ],
  );
  const id = await asking('calls tools', data);
  const { output } = await run('pending', 'list', '--flow', 'calls tools');
  expect(output).toContain(
    '1: evaluate_expression {"expression":"1+1"}  2: evaluate_expression {"expression":"2+2"}',
  );
  const values = join(server.folder, 'values.json');
  writeFileSync(values, JSON.stringify({ args: { expression: 5 } }));
  const refused = await run('pending', 'answer', id, 'edit', '--values', values);
  expect(refused).toMatchObject({
    code: 77,
    faults: expect.stringContaining('Invalid decision: The argument "expression" does not fit'),
  });
});
