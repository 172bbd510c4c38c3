import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

let tenant: Tenant;
const gateway = gatewayForTests();
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

interface Item {
  readonly type: string;
  readonly loc: readonly (string | number)[];
}

/** The items for a tweak of an invalid type at this location: one for each allowed type. */
const tweak = (location: string): readonly string[] =>
  ['bool_type bool', 'int_type int', 'float_type float', 'string_type str', 'dict_type dict[str,any]'].map(
    (item) => item.replace(' ', ` ${location}.`),
  );
const newFlow = [
  'missing body.name',
  'string_type body.description',
  'value_error body.data',
  'bool_parsing body.webhook',
  'value_error body.endpoint_name',
  'string_type body.tags.0',
  'bool_type body.locked',
  'uuid_parsing body.id',
  'uuid_type body.folder_id',
];

// Langflow 1.11.0 and 1.13.0 answered all of these with 422 and these items, in this order.
test.each([
  [
    'POST /api/v1/run/{flow}?stream=maybe',
    {
      context: 5,
      input_request: { session_id: 5, zz: 1, tweaks: { b: [1], a: null }, output_type: 'x', input_value: 5 },
    },
    [
      'bool_parsing query.stream',
      'string_type body.input_request.input_value',
      'literal_error body.input_request.output_type',
      ...tweak('body.input_request.tweaks.b'),
      ...tweak('body.input_request.tweaks.a'),
      'string_type body.input_request.session_id',
      'dict_type body.context',
    ],
  ],
  [
    'POST /api/v1/run/advanced/{flow}',
    {
      session_id: 5,
      zz: 1,
      stream: 'maybe',
      tweaks: { a: null },
      outputs: [1, 'a', 2],
      inputs: [
        { zz: 1, type: 'json', aa: 2, components: 5 },
        5,
        { client_request_time: 'x', input_value: 5 },
      ],
    },
    [
      'list_type body.inputs.0.components',
      'literal_error body.inputs.0.type',
      'extra_forbidden body.inputs.0.zz',
      'extra_forbidden body.inputs.0.aa',
      'model_attributes_type body.inputs.1',
      'string_type body.inputs.2.input_value',
      'int_parsing body.inputs.2.client_request_time',
      'string_type body.outputs.0',
      'string_type body.outputs.2',
      ...tweak('body.tweaks.a'),
      'bool_parsing body.stream',
      'string_type body.session_id',
    ],
  ],
  [
    'POST /api/v1/responses',
    { include: [1], tools: 5, zz: 1, stream: 5, model: 5 },
    [
      'string_type body.model',
      'missing body.input',
      'bool_parsing body.stream',
      'list_type body.tools',
      'string_type body.include.0',
    ],
  ],
  [
    'POST /api/v2/workflows',
    {
      zz: 1,
      globals: { B: 1, A: 2 },
      mode: 'x',
      aa: 2,
      files: [1],
      tweaks: 5,
      data: [],
      idempotency_key: 'k'.repeat(256),
    },
    [
      'missing body.flow_id',
      'dict_type body.tweaks',
      'enum body.mode',
      'dict_type body.data',
      'string_type body.files.0',
      'string_type body.globals.B',
      'string_type body.globals.A',
      'string_too_long body.idempotency_key',
      'extra_forbidden body.zz',
      'extra_forbidden body.aa',
    ],
  ],
  ['POST /api/v2/workflows', { flow_id: 'x', mode: 'sync' }, ['value_error body']],
  ['POST /api/v2/workflows/stop', { job_id: 'x' }, ['value_error body.job_id']],
  ['GET /api/v2/workflows?job_id=x', undefined, ['value_error query.job_id']],
  [
    'POST /api/v1/flows/',
    {
      folder_id: 5,
      id: 'x',
      endpoint_name: 'a b',
      zz: 1,
      data: { nodes: [] },
      tags: [1],
      locked: 1.5,
      description: 5,
      webhook: 'maybe',
    },
    [...newFlow, ...newFlow],
  ],
  [
    'PATCH /api/v1/flows/{flow}',
    {
      locked: 'maybe',
      mcp_enabled: 5,
      endpoint_name: 'a b',
      folder_id: 'x',
      data: 5,
      description: 5,
      name: 5,
    },
    [
      'string_type body.name',
      'string_type body.description',
      'dict_type body.data',
      'uuid_parsing body.folder_id',
      'value_error body.endpoint_name',
      'bool_parsing body.mcp_enabled',
      'bool_parsing body.locked',
    ],
  ],
  [
    'PATCH /api/v1/flows/x',
    { name: 5 },
    ['uuid_parsing path.flow_id', 'uuid_parsing path.flow_id', 'string_type body.name'],
  ],
  [
    'PUT /api/v1/flows/x',
    { icon: 5, name: 5 },
    ['uuid_parsing path.flow_id', 'string_type body.name', 'string_type body.icon'],
  ],
  [
    'POST /api/v1/flows/batch/',
    { flows: [{ name: 5, icon: 5 }, 5, {}] },
    [
      'string_type body.flows.0.name',
      'string_type body.flows.0.icon',
      'model_attributes_type body.flows.1',
      'missing body.flows.2.name',
    ],
  ],
  ['PATCH /api/v1/flows/{flow}', null, ['model_attributes_type body']],
  ['POST /api/v1/flows/download/', null, ['list_type body']],
  [
    'PUT /api/v1/flows/{flow}',
    { name: 'x', icon_bg_color: '#12345', folder_id: 'x' },
    ['value_error body.icon_bg_color', 'uuid_parsing body.folder_id'],
  ],
  ['DELETE /api/v1/flows/', [5, 'x', null], ['uuid_type body.0', 'uuid_parsing body.1', 'uuid_type body.2']],
  [
    'PATCH /api/v1/variables/x',
    { type: 5, default_fields: [1], value: 5, name: 5, id: 5 },
    [
      'uuid_parsing path.variable_id',
      'uuid_type body.id',
      'string_type body.name',
      'string_type body.value',
      'string_type body.default_fields.0',
      'string_type body.type',
    ],
  ],
  [
    'POST /api/v1/variables/',
    { type: 5, default_fields: [1], value: 5 },
    [
      'missing body.name',
      'string_type body.value',
      'string_type body.default_fields.0',
      'string_type body.type',
    ],
  ],
  [
    'POST /api/v1/api_key/',
    { created_at: false, user_id: 'x', expires_at: 'x', is_active: null, total_uses: 1.5, name: 5 },
    [
      'string_type body.name',
      'int_from_float body.total_uses',
      'bool_type body.is_active',
      'datetime_from_date_parsing body.expires_at',
      'value_error body.user_id',
    ],
  ],
  [
    'PUT /api/v1/monitor/messages/x',
    {
      properties: 5,
      error: 5,
      edit: 'maybe',
      files: [1],
      session_id: 5,
      sender: 5,
      text: 5,
    },
    [
      'uuid_parsing path.message_id',
      'string_type body.text',
      'string_type body.sender',
      'string_type body.session_id',
      'string_type body.files.0',
      'bool_parsing body.edit',
      'bool_parsing body.error',
      'model_type body.properties',
    ],
  ],
  ['DELETE /api/v1/monitor/messages', ['x', 5], ['uuid_parsing body.0', 'uuid_type body.1']],
  [
    'POST /api/v2/mcp/servers/x',
    { url: 5, headers: { a: 1 }, args: [1], command: 5 },
    [
      'string_type body.command',
      'string_type body.args.0',
      'string_type body.headers.a',
      'string_type body.url',
    ],
  ],
  [
    'GET /api/v1/monitor/messages?offset=-1&limit=x&flow_id=x',
    undefined,
    ['uuid_parsing query.flow_id', 'int_parsing query.limit', 'greater_than_equal query.offset'],
  ],
  [
    'GET /api/v1/flows/?header_flows=x&folder_id=x&get_all=x&components_only=x&size=0&page=x',
    undefined,
    [
      'int_parsing query.page',
      'greater_than_equal query.size',
      'bool_parsing query.components_only',
      'bool_parsing query.get_all',
      'uuid_parsing query.folder_id',
      'bool_parsing query.header_flows',
    ],
  ],
])('%s %j', async (target, body, expected) => {
  const [method = '', path = ''] = target.replace('{flow}', tenant.ids.flow).split(' ');
  const { status, json } = await tenant.call(method, path, body);
  const { detail } = json as { readonly detail: readonly Item[] };
  expect([status, detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)]).toEqual([422, expected]);
});

test('an unknown flow is reported before the errors of its changes', async () => {
  const path = '/api/v1/flows/00000000-0000-4000-8000-00000000000b';
  expect((await tenant.call('PATCH', path, { name: 5 })).status).toBe(404);
});

test.each([
  ['order_by=nope', 'Invalid order_by field: nope'],
  ['order_by=Timestamp', 'Invalid order_by field: Timestamp'],
  ['order_by=text,id', 'Invalid order_by field: id'],
  ['order_by=nope&order=up', 'Invalid order direction: up'],
  ['order=', 'Invalid order direction: '],
  ['order=%20asc', 'Invalid order direction:  asc'],
])('messages cannot be ordered by %s', async (query, detail) => {
  const { status, json } = await tenant.call('GET', `/api/v1/monitor/messages?${query}`);
  expect([status, json]).toEqual([400, { detail }]);
});

test.each([
  'order_by=text',
  'order_by=',
  'order_by=sender&order=aSc',
  'order=desc',
  'order_by=nope,session_id',
])('messages can be ordered by %s', async (query) => {
  expect((await tenant.call('GET', `/api/v1/monitor/messages?${query}`)).status).toBe(200);
});
