import { nothing } from '../../testing/route-cases';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const UNKNOWN = nothing.flow;
let tenant: Tenant;
const gateway = gatewayForTests();
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

const objects = [
  'POST /api/v1/flows/',
  'PATCH /api/v1/flows/{flow}',
  `PUT /api/v1/flows/${UNKNOWN}`,
  'POST /api/v1/flows/batch/',
  'POST /api/v1/variables/',
  `PATCH /api/v1/variables/${UNKNOWN}`,
  'POST /api/v1/api_key/',
  'POST /api/v1/projects/',
  `PATCH /api/v1/projects/${UNKNOWN}`,
  `PUT /api/v1/monitor/messages/${UNKNOWN}`,
  'POST /api/v2/workflows',
  'POST /api/v2/workflows/stop',
  `POST /api/v2/workflows/${UNKNOWN}/resume`,
  'POST /api/v1/responses',
  `POST /api/v1/agui/${UNKNOWN}`,
  `PATCH /api/v1/mcp/project/${UNKNOWN}`,
  'POST /api/v2/mcp/servers/unknown',
  'PATCH /api/v2/mcp/servers/unknown',
  'POST /api/v1/knowledge_bases',
  'POST /api/v1/triggers',
  `PATCH /api/v1/triggers/${UNKNOWN}`,
  'POST /api/v1/schedules/preview',
  `POST /api/v1/flows/${UNKNOWN}/pause`,
  `POST /api/v1/api_key/${UNKNOWN}/rotate`,
];
const lists = [
  'DELETE /api/v1/flows/',
  'POST /api/v1/flows/download/',
  'DELETE /api/v1/monitor/messages',
  'POST /api/v2/files/batch/',
  'DELETE /api/v2/files/batch/',
];

/** Returns the types and locations of the errors for each of these bodies. */
async function refusals(route: string, bodies: readonly string[]): Promise<readonly unknown[]> {
  const [method = '', path = ''] = route.replace('{flow}', tenant.ids.flow).split(' ');
  const headers = { 'x-api-key': tenant.key, 'content-type': 'application/json' };
  return Promise.all(
    bodies.map(async (body) => {
      const { status, json } = await gateway.call(method, path, body, headers);
      const { detail } = json as { detail?: unknown };
      const items = Array.isArray(detail) ? (detail as { type: string; loc: string[] }[]) : [];
      return [status, ...new Set(items.map(({ type, loc }) => `${type} ${loc.join('.')}`))];
    }),
  );
}

test.each(objects)('%s takes only an object', async (route) => {
  const bodies = ['null', '[]', '[{}]', '"x"', '7', 'true'];
  expect(await refusals(route, bodies)).toEqual(bodies.map(() => [422, 'model_attributes_type body']));
});

test('POST /api/v1/flows/expand/ takes only a dictionary', async () => {
  expect(await refusals('POST /api/v1/flows/expand/', ['null', '[]', '"x"'])).toEqual(
    Array.from({ length: 3 }, () => [422, 'dict_type body']),
  );
});

test.each(lists)('%s takes only a list', async (route) => {
  const bodies = ['null', '{}', '"x"', '7', 'true'];
  expect(await refusals(route, bodies)).toEqual(bodies.map(() => [422, 'list_type body']));
});

test('the members of a new trigger are in the order of Langflow', async () => {
  const missing = ['name', 'kind', 'flow_id'].map((name) => `missing body.${name}`);
  expect(await refusals('POST /api/v1/triggers', ['{}'])).toEqual([[422, ...missing]]);
});
