import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentCalls, cardOf, rpc, rpcOf } from '../../testing/agent-calls';
import type { Json } from '../../testing/agent-calls';

const examples = join(__dirname, '../../../../../examples');
const echo = JSON.parse(readFileSync(join(examples, 'echo.json'), 'utf8')) as object;
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

let agents: AgentCalls;
beforeAll(async () => {
  agents = await AgentCalls.open();
}, 60_000);
afterAll(() => agents.gateway.close());

describe('agent card', () => {
  test('needs no key, and says how to call the flow', async () => {
    const answer = await agents.gateway.call('GET', cardOf(agents.owner.ids.flow), undefined, {
      'x-api-key': '',
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      name: 'owner-flow',
      description: expect.any(String),
      url: `${agents.gateway.url}${rpcOf(agents.owner.ids.flow)}`,
      version: '1.13.0',
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: expect.any(String) },
      },
      security: [{ apiKey: [] }],
      skills: [
        {
          id: agents.owner.ids.flow,
          name: 'owner-flow',
          description: expect.any(String),
          tags: ['langflow'],
          inputModes: ['application/json'],
          outputModes: ['application/json'],
          inputSchema: {
            type: 'object',
            properties: {
              input_value: { type: 'string', description: expect.any(String) },
              session_id: { type: 'string', description: expect.any(String) },
            },
            required: [],
          },
        },
      ],
    });
  });

  test('has the words of its author where they are short texts', async () => {
    const create = async (overrides: Json) => {
      const body = {
        name: 'other words',
        flow_type: 'agent',
        a2a_enabled: true,
        a2a_card_overrides: overrides,
      };
      const id = await agents.createFlow(body);
      const card = await agents.gateway.call('GET', cardOf(id));
      await agents.owner.call('DELETE', `/api/v1/flows/${id}`);
      return card.json as { skills: Json[] } & Json;
    };
    const texts = {
      name: 'N',
      description: 'D',
      version: '9',
      tags: ['t'],
      examples: ['e'],
      url: 'https://x',
    };
    const known = await create(texts);
    expect(known).toMatchObject({ name: 'N', description: 'D', version: '9' });
    expect(known['url']).not.toBe('https://x');
    expect(known.skills[0]).toMatchObject({ name: 'N', tags: ['t'], examples: ['e'] });
    const wrong = await create({
      name: 5,
      description: '',
      version: 'v'.repeat(1001),
      tags: 't',
      examples: [1],
    });
    expect(wrong).toMatchObject({
      name: 'other words',
      description: 'A2A agent for flow other words',
      version: '1.13.0',
      skills: [{ tags: ['langflow'], inputSchema: { properties: {}, required: [] } }],
    });
    expect(wrong.skills[0]).not.toHaveProperty('examples');
  });

  test.each([
    ['a workflow', { flow_type: 'workflow', a2a_enabled: true }],
    ['an agent that is switched off', { flow_type: 'agent', a2a_enabled: false }],
  ])('of %s answers 404, as its calls do', async (_, members) => {
    const body = { ...echo, name: 'hidden', endpoint_name: 'hidden', ...members };
    const id = await agents.createFlow(body);
    for (const answer of [
      await agents.gateway.call('GET', cardOf(id)),
      await agents.post(rpc('tasks/get', { id: 'x' }), {}, id),
    ])
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Not Found' }]);
    await agents.owner.call('DELETE', `/api/v1/flows/${id}`);
  });

  test('of an unknown id answers 404, and of a text that is no id 422', async () => {
    expect((await agents.gateway.call('GET', cardOf(UNKNOWN))).status).toBe(404);
    expect(await agents.gateway.call('GET', cardOf('nope'))).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'uuid_parsing', loc: ['path', 'flow_id'] }] },
    });
  });
});

test("the list has the user's agents alone", async () => {
  expect((await agents.owner.call('GET', '/api/v1/a2a/agents')).json).toEqual([
    {
      id: agents.owner.ids.flow,
      name: 'owner-flow',
      description: expect.any(String),
      cardUrl: agents.gateway.url + cardOf(agents.owner.ids.flow),
    },
  ]);
});
