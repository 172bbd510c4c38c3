import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { followed } from './testing/read-events';
import { Message } from '@millrace/python-text';
import { openTestGateway } from './testing/test-gateway';
import type { TestGateway } from './testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../examples/echo.json'), 'utf8')) as EchoFlow;
const INPUT = echo.data.nodes.find(({ data }) => data.type === 'ChatInput')!.id;
const OTHER_TOKEN = '11111111-1111-4111-8111-111111111111';
const REFUSAL = 'The field is protected and keeps the value set by the flow author.';

interface EchoFlow {
  readonly [member: string]: unknown;
  readonly data: {
    readonly nodes: readonly {
      readonly id: string;
      readonly data: {
        readonly id: string;
        readonly type: string;
        readonly node: { readonly template: { readonly input_value: object } };
      };
    }[];
  };
}

type EchoNode = EchoFlow['data']['nodes'][number];

function withSavedText({ data, ...node }: EchoNode, value: string): EchoNode {
  const { node: body } = data;
  const template = { ...body.template, input_value: { ...body.template.input_value, value } };
  return { ...node, data: { ...data, node: { ...body, template } } };
}

/** Returns a copy of a node whose component does not exist. */
function withoutRole({ data, ...node }: EchoNode, id: string): EchoNode {
  return { ...node, id, data: { ...data, id, type: 'Aside' } };
}

describe.each(['1.13', '1.11'] as const)('with the answers of Langflow %s', (release) => {
  const isCurrent = release === '1.13';
  let gateway: TestGateway;
  let flowId: string;

  beforeAll(async () => {
    gateway = await openTestGateway({
      // The default is 1.13.
      environment: isCurrent ? {} : { MILLRACE_COMPATIBILITY: release },
    });
    flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
  }, 60_000);

  afterAll(() => gateway.close());

  const detail = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await gateway.call(method, path, body);
    return [status, (json as { detail: unknown }).detail];
  };

  test('the last vertices of a flow can be asked for, in 1.11 only those that are outputs', async () => {
    const nodes = echo.data.nodes.filter(({ id }) => id === INPUT);
    const id = await gateway.createFlow({ ...echo, endpoint_name: 'input', data: { nodes, edges: [] } });
    const body = { flow_id: id, input_value: 'x', output_ids: ['nothing'] };
    const [status, refusal] = await detail('POST', '/api/v2/workflows', body);
    expect(status).toBe(422);
    expect(refusal).toMatchObject({ available: isCurrent ? [INPUT] : [] });
  });

  test('a run whose body is null has the defaults only in 1.11', async () => {
    const { status } = await gateway.call('POST', '/api/v1/run/echo', null);
    expect(status).toBe(isCurrent ? 422 : 200);
  });

  test('an invalid body names its fields, and repeats what was sent only in 1.11', async () => {
    const body = { inputs: [{ type: 'x' }], stream: 'perhaps' };
    expect(await detail('POST', '/api/v1/run/advanced/echo', body)).toEqual([
      422,
      [
        {
          type: 'literal_error',
          loc: ['body', 'inputs', 0, 'type'],
          msg: "Input should be 'chat', 'text' or 'any'",
          ctx: { expected: "'chat', 'text' or 'any'" },
          ...(isCurrent ? {} : { input: 'x' }),
        },
        {
          type: 'bool_parsing',
          loc: ['body', 'stream'],
          msg: 'Input should be a valid boolean, unable to interpret input',
          ...(isCurrent ? {} : { input: 'perhaps' }),
        },
      ],
    ]);
  });

  test('`ctx` of a path or a body holds what the request holds only in 1.11', async () => {
    const [, items] = await detail('GET', '/api/v1/flows/abc');
    const error = 'invalid length: expected length 32 for simple format, found 3';
    const item = {
      type: 'uuid_parsing',
      loc: ['path', 'flow_id'],
      msg: `Input should be a valid UUID, ${error}`,
      ...(isCurrent ? {} : { input: 'abc', ctx: { error } }),
    };
    expect(items).toEqual([item, item]);
    expect(await detail('POST', '/api/v1/variables/', '{"name":')).toEqual([
      422,
      [
        {
          type: 'json_invalid',
          loc: ['body', 8],
          msg: 'JSON decode error',
          ...(isCurrent ? {} : { input: {}, ctx: { error: 'Expecting value' } }),
        },
      ],
    ]);
  });

  test('a tweak of a protected field is refused, or ignored', async () => {
    const tweaks = { [INPUT]: { code: 'x', unknown: 1 }, unknown: { code: 'x' } };
    const runs = [
      ['/api/v1/run/echo', { input_value: 'a', tweaks }],
      ['/api/v1/run/echo', { input_value: 'a', tweaks: { code: 'x' } }],
      ['/api/v1/run/echo', { input_value: 'a', tweaks: { 'Chat Input': { code: 'x' } } }],
      ['/api/v1/run/advanced/echo', { tweaks }],
      ['/api/v2/workflows', { flow_id: flowId, input_value: 'a', tweaks }],
      ['/api/v2/workflows', { flow_id: flowId, mode: 'background', tweaks }],
    ] as const;
    for (const [path, body] of runs) {
      const { status, json } = await gateway.call('POST', path, body);
      if (!isCurrent) expect([path, status]).toEqual([path, 200]);
      else
        expect([path, status, json]).toEqual([
          path,
          422,
          {
            detail: { error: 'Refused tweaks', code: 'TWEAKS_REFUSED', message: REFUSAL, fields: ['code'] },
          },
        ]);
    }
  });

  test('a streamed run with such a tweak is one event, or runs', async () => {
    const body = { input_value: 'a', tweaks: { [INPUT]: { code: 'x' } } };
    const { status, headers, text } = await gateway.call('POST', '/api/v1/run/echo?stream=true', body);
    const events = text
      .split('\n\n')
      .filter((part) => part !== '')
      .map((part) => JSON.parse(part) as { event: string });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
    if (isCurrent) {
      expect(events).toEqual([
        { event: 'error', data: { error: `Refused tweak keys ['code']: ${REFUSAL}` } },
      ]);
    } else expect(events.at(-1)?.event).toBe('end');
  });

  test('tweaks of other fields are accepted', async () => {
    const tweaks = { [INPUT]: { sender_name: 'code' }, Unknown: { code: 'x' } };
    expect((await gateway.call('POST', '/api/v1/run/echo', { input_value: 'a', tweaks })).status).toBe(200);
  });

  test('a flow has a version token, and a change depends on it', async () => {
    const path = `/api/v1/flows/${flowId}`;
    const { version_token: token } = (await gateway.call('GET', path)).json as { version_token?: string };
    const change = async (ifMatch: string, description: string) => {
      const { status, json } = await gateway.call('PATCH', path, { description }, { 'if-match': ifMatch });
      return [status, json] as const;
    };
    if (!isCurrent) {
      expect(token).toBeUndefined();
      expect((await change(`"${OTHER_TOKEN}"`, 'a'))[0]).toBe(200);
      return;
    }
    expect(await change(`"${OTHER_TOKEN}"`, 'a')).toEqual([
      409,
      {
        detail: {
          code: 'flow_version_conflict',
          message: 'This flow was changed by someone else after you loaded it.',
          flow_id: flowId,
          expected_version_token: OTHER_TOKEN,
          current_version_token: token,
          modified_by: { id: gateway.user.id, username: gateway.user.username },
          modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string,
        },
      },
    ]);
    for (const unreadable of ['x', '', '*'])
      expect(await change(unreadable, 'a')).toEqual([
        400,
        { detail: 'Invalid If-Match header: expected a version token' },
      ]);
    const [status, changed] = await change(`W/"${token}"`, 'b');
    expect([status, changed]).toMatchObject([200, { description: 'b' }]);
    expect((await change(token!, 'c'))[0]).toBe(409);
    const { version_token: next } = changed as { version_token: string };
    const put = { ...echo, endpoint_name: 'echo' };
    expect((await gateway.call('PUT', path, put, { 'if-match': token! })).status).toBe(409);
    expect((await gateway.call('PUT', path, put, { 'if-match': next })).status).toBe(200);
    expect((await gateway.call('PATCH', path, { description: 'd' })).status).toBe(200);
  });

  test('a variable says whether it has a value and whose it is', async () => {
    const answer = await gateway.call('POST', '/api/v1/variables/', { name: `V${release}`, value: 's' });
    const members = { has_value: true, is_owner: true, can_manage_shares: true };
    expect(answer.json).toMatchObject({ name: `V${release}`, ...(isCurrent ? members : {}) });
    expect('has_value' in (answer.json as object)).toBe(isCurrent);
    const { json } = await gateway.call('GET', '/api/v1/variables/');
    expect((json as readonly object[]).map((row) => 'is_owner' in row)).toEqual([isCurrent]);
  });

  test('a workflow repeats the tweaks of its request, in 1.11 with `stream`', async () => {
    const tweaks = { [INPUT]: { sender_name: 'me' } };
    const { status, json } = await gateway.call('POST', '/api/v2/workflows', { flow_id: flowId, tweaks });
    expect(status).toBe(200);
    const { inputs, warnings } = json as { inputs: unknown; warnings?: unknown };
    expect(inputs).toEqual(isCurrent ? tweaks : { ...tweaks, stream: false });
    expect(warnings).toEqual(isCurrent ? [] : undefined);
  });

  test('a workflow with an empty input uses the saved text of the Chat Input, in 1.11 the empty text', async () => {
    const nodes = echo.data.nodes.map((node) => (node.id === INPUT ? withSavedText(node, 'saved') : node));
    const flow_id = await gateway.createFlow({ ...echo, data: { ...echo.data, nodes } });
    const textOf = async (body: object) => {
      const { json } = await gateway.call('POST', '/api/v2/workflows', { flow_id, ...body });
      return (json as { output: { text: unknown } }).output.text;
    };
    expect(await textOf({ input_value: 'given' })).toBe('given');
    expect(await textOf({})).toBe('saved');
    expect(await textOf({ input_value: '' })).toBe(isCurrent ? 'saved' : '');
    expect(await textOf({ input_value: '', session_id: 's' })).toBe(isCurrent ? 'saved' : '');
    const streamedTextOf = async (body: object) => {
      const request = { body: { flow_id, mode: 'stream', ...body } };
      const { events } = await followed(gateway.url, '/api/v2/workflows', request);
      return (events.at(-1)?.data as { result: { output: { text: unknown } } }).result.output.text;
    };
    expect(await streamedTextOf({ input_value: '' })).toBe(isCurrent ? 'saved' : '');
    expect(await streamedTextOf({ input_value: '', session_id: 's' })).toBe('');
    expect(await streamedTextOf({ session_id: 's' })).toBe(isCurrent ? '' : 'saved');
  });

  test('a workflow lists vertices without followers, also those that do not run, in 1.13', async () => {
    const aside = withoutRole(
      echo.data.nodes.find(({ id }) => id === INPUT)!,
      'Aside-a',
    );
    const flow = { ...echo.data, nodes: [...echo.data.nodes, aside] };
    const flow_id = await gateway.createFlow({ ...echo, data: flow });
    const { json } = await gateway.call('POST', '/api/v2/workflows', { flow_id, input_value: 'x' });
    const { outputs, output } = json as { outputs: Record<string, unknown>; output: unknown };
    expect(outputs['Aside-a']).toEqual(
      isCurrent
        ? {
            type: 'message',
            status: 'completed',
            display_name: expect.any(String),
            content: null,
            metadata: { component_type: 'Aside' },
          }
        : undefined,
    );
    expect(output).toMatchObject({ reason: 'single', text: 'x' });
  });

  test('a changed message is marked as edited, in 1.13 where its text changes', async () => {
    const session = `edited-${release}`;
    await gateway.call('POST', '/api/v1/run/echo', { input_value: 'x', session_id: session });
    const root = '/api/v1/monitor/messages';
    const { json } = await gateway.call('GET', `${root}?session_id=${session}`);
    const [{ id }] = json as [{ id: string }];
    const isEdited = async (body: object) =>
      ((await gateway.call('PUT', `${root}/${id}`, body)).json as { edit: unknown }).edit;
    expect(await isEdited({ sender_name: 'me' })).toBe(!isCurrent);
    expect(await isEdited({ edit: false, text: 'x' })).toBe(false);
    expect(await isEdited({ edit: false, text: 'y' })).toBe(isCurrent);
    expect(await isEdited({ sender_name: 'you' })).toBe(true);
  });

  test('a name of an MCP server that is taken answers 409, in 1.11 400', async () => {
    const path = '/api/v2/mcp/servers/mill';
    await gateway.call('POST', path, { url: 'http://mill.example/mcp' });
    const answer = await gateway.call('POST', path, { url: 'http://mill.example/mcp' });
    expect(answer.status).toBe(isCurrent ? 409 : 400);
    const { status } = await gateway.call('GET', '/api/v2/mcp/servers?action_count=');
    expect(status).toBe(isCurrent ? 422 : 200);
  });

  test('no workflow waits for a person', async () => {
    const path = '/api/v2/workflows/pending';
    expect((await gateway.call('GET', `${path}?flow_id=${flowId}`)).json).toEqual([]);
    expect(await gateway.call('GET', path)).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'missing', loc: ['query', 'flow_id'] }] },
    });
  });

  test('`/healthz` checks the database, or says that the process is alive; the version is that of the release', async () => {
    const health = await gateway.call('GET', '/healthz');
    expect(health.json).toEqual(isCurrent ? { status: 'ok', chat: 'ok', db: 'ok' } : { status: 'ok' });
    const { json } = await gateway.call('GET', '/api/v1/version');
    expect(json).toMatchObject({ version: `${release}.0`, main_version: `${release}.0` });
  });
});

describe.each(['1.13', '1.11'] as const)('sessions with the answers of Langflow %s', (release) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({ environment: { MILLRACE_COMPATIBILITY: release } });
  }, 60_000);
  afterAll(() => gateway.close());

  test('are listed newest first and in pages, or by their ids', async () => {
    const flowId = await gateway.createFlow({ ...echo, endpoint_name: 'sessions' });
    const { database, user } = gateway;
    const body = JSON.stringify({
      text: '',
      files: [],
      edit: false,
      properties: new Message({ text: '' }).fields.properties,
      category: 'message',
      contentBlocks: [],
      duration: null,
      sessionMetadata: null,
    });
    for (const [index, session] of ['b', 'c', 'a'].entries())
      await database.query({
        text: `INSERT INTO messages (id, user_id, flow_id, session_id, context_id, timestamp, sender, sender_name, body)
          VALUES (gen_random_uuid(), $1, $2, $3, '', $4, 'User', 'User', $5)`,
        values: [user.id, flowId, session, new Date(1_700_000_000_000 + index * 1_000), body],
      });
    const list = async (query: string) =>
      (await gateway.call('GET', `/api/v1/monitor/messages/sessions?flow_id=${flowId}${query}`))
        .json as unknown;
    const isCurrent = release === '1.13';
    expect(await list('')).toEqual(isCurrent ? ['a', 'c', 'b'] : ['a', 'b', 'c']);
    expect(await list('&limit=1&offset=1')).toEqual(isCurrent ? ['c'] : ['a', 'b', 'c']);
    expect(await list('&limit=0')).toHaveLength(3);
    const { status } = await gateway.call('GET', '/api/v1/monitor/messages/sessions?limit=-1');
    expect(status).toBe(isCurrent ? 422 : 200);
    const sessionsOf = async (page: string) =>
      (
        (await gateway.call('GET', `/api/v1/monitor/messages?flow_id=${flowId}${page}`)).json as readonly {
          session_id: string;
        }[]
      ).map(({ session_id }) => session_id);
    expect(await sessionsOf('')).toEqual(['b', 'c', 'a']);
    expect(await sessionsOf('&limit=2')).toEqual(isCurrent ? ['c', 'a'] : ['b', 'c']);
    expect(await sessionsOf('&limit=2&offset=2')).toEqual(isCurrent ? ['b'] : ['a']);
    expect(await sessionsOf('&limit=2&order_by=session_id')).toEqual(isCurrent ? ['a', 'c'] : ['a', 'b']);
  });
});
