import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { templateOf } from '../../openapi/openapi-document';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { gatewayForTests } from '../../testing/test-gateway';
import { lenientRoutes, unknownMembersOf } from './unknown-members';
import type { Method } from './route';

type Schema = Readonly<Record<string, unknown>>;

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const ID = '00000000-0000-7000-8000-000000000001';
let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);

function split(route: string): { readonly method: Method; readonly path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method as Method, path };
}

function servedRoutes(): readonly string[] {
  return gateway.gateway.app.router.stack.flatMap(({ route }) =>
    route ? route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`) : [],
  );
}

test('every route that does not refuse unknown members exists', () => {
  const served = new Set(servedRoutes());
  expect(lenientRoutes.filter((route) => !served.has(route))).toEqual([]);
});

test('the bodies of routes that refuse unknown members have closed schemas', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  const open = servedRoutes()
    .map((route) => ({ route, ...split(route) }))
    .filter((route) => unknownMembersOf(route) === 'refused')
    // Its members are those of two forms, which the route checks.
    .filter(({ path }) => path !== '/run/:flow_id')
    .flatMap(({ route, method, path }) => {
      const body = paths[templateOf(path)]?.[method.toLowerCase()]?.requestBody;
      return openObjects(body?.content['application/json']?.schema, route);
    });
  expect(open).toEqual([]);
});

/** The places of objects whose other members are accepted although some are declared. */
function openObjects(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, items, additionalProperties } = schema as Schema;
  if (typeof properties !== 'object' || properties === null) return openObjects(items, `${at}[]`);
  const inside = Object.entries(properties).flatMap(([name, member]) => openObjects(member, `${at}.${name}`));
  return additionalProperties === undefined ? [at, ...inside] : inside;
}

test('every route that refuses unknown members names those of the query', async () => {
  const strict = servedRoutes()
    .map(split)
    .filter((route) => unknownMembersOf(route) !== 'ignored');
  for (const { method, path } of strict) {
    const address = path.replace(/:flow(_id)?$/, flowId).replace(/:\w+/g, ID);
    const answer = await gateway.call(method, `${address}?dryRun=plan&version=99&to=1`, undefined);
    expect([method, path, answer.status]).toEqual([method, path, 422]);
    expect([method, path, answer.text]).toEqual([method, path, expect.stringContaining('dryRun')]);
  }
});

test.each([
  ['POST', '/api/v1/api_key/', { name: 'one flow', flow: ID }, ['body', 'flow']],
  ['POST', `/api/v1/api_key/${ID}/rotate`, { overlap: 60 }, ['body', 'overlap']],
  ['POST', '/api/v1/users/', { username: 'u', scopes: ['run'] }, ['body', 'scopes']],
  ['POST', '/api/v1/users', { username: 'u', is_active: false }, ['body', 'is_active']],
  ['DELETE', '/api/v1/runs', { flow_id: ID }, ['body', 'flow_id']],
  ['DELETE', '/api/v1/runs', [ID], ['body']],
  ['DELETE', '/api/v1/runs?flow=x', undefined, ['query', 'flow']],
  ['POST', `/api/v1/runs/${ID}/replay`, { version: 'same' }, ['body', 'version']],
  ['POST', '/api/v1/runs/replay', { runs: [ID], dry_run: true }, ['body', 'dry_run']],
  ['POST', '/api/v1/erasures', { session_id: 's', dry_run: true }, ['body', 'dry_run']],
  ['GET', '/api/v1/runs?flow=x&limit=1', undefined, ['query', 'flow']],
  ['GET', '/api/v1/callbacks?status=dead', undefined, ['query', 'status']],
  ['POST', '/api/v1/run/echo?version=99', { input_value: 'x' }, ['query', 'version']],
  ['POST', '/api/v1/run/advanced/echo?dryRun=plan', {}, ['query', 'dryRun']],
  ['POST', '/api/v2/workflows?dryRun=plan', {}, ['query', 'dryRun']],
] as const)('%s %s with an unknown member in %j is refused', async (method, path, body, loc) => {
  const { status, json } = await gateway.call(method, path, body);
  expect([status, json]).toEqual([
    422,
    {
      detail: [
        expect.objectContaining({ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }),
      ],
    },
  ]);
});

test('the members of Langflow, an empty body and the key in the query are accepted', async () => {
  const langflow = { name: 'k', is_active: true, total_uses: 0, last_used_at: null, user_id: null };
  expect((await gateway.call('POST', '/api/v1/api_key/', langflow)).status).toBe(200);
  const user = { username: 'langflow', password: 'p', optins: {} };
  expect((await gateway.call('POST', '/api/v1/users/', user)).status).toBe(201);
  for (const body of [undefined, {}, null]) {
    expect((await gateway.call('POST', `/api/v1/runs/${ID}/cancel`, body)).status).toBe(404);
  }
  expect((await gateway.call('GET', '/api/v1/runs?x-api-key=sk-other')).status).not.toBe(422);
  expect((await gateway.call('GET', '/api/v1/flows/?_=1700000000')).status).toBe(200);
  expect((await gateway.call('POST', '/api/v1/run/echo', { input_value: 'x', message: 'y' })).status).toBe(
    200,
  );
});

describe('a list of inputs at the routes of both forms', () => {
  const paths = () => ['/api/v1/run/echo', `/run/${flowId}`];

  test('runs each input', async () => {
    for (const path of paths()) {
      const inputs = [{ input_value: 'one' }, { input_value: 'two', type: 'chat' }];
      expect((await gateway.call('POST', path, { inputs })).json).toMatchObject({
        outputs: [
          { inputs: { input_value: 'one' }, outputs: [{ results: { message: { text: 'one' } } }] },
          { inputs: { input_value: 'two' }, outputs: [{ results: { message: { text: 'two' } } }] },
        ],
      });
    }
  });

  test('streams by the query', async () => {
    const { headers } = await gateway.call('POST', '/api/v1/run/echo?stream=true', {
      inputs: [{ input_value: 'x' }],
    });
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  });

  test.each([
    [{ inputs: 'x' }, 'inputs'],
    [{ inputs: { input_value: 'x' } }, 'inputs'],
    [{ inputs: 5 }, 'inputs'],
    [{ inputs: null }, 'inputs'],
    [{ inputs: ['x'] }, 'inputs.0'],
    [{ inputs: [{ text: 'x' }] }, 'inputs.0.text'],
    [{ inputs: [{ input_value: 5 }] }, 'inputs.0.input_value'],
    [{ inputs: [], input_value: 'x' }, 'input_value'],
    [{ input_request: { inputs: [] } }, 'input_request.inputs'],
  ])('of another form is refused: %j', async (body, place) => {
    const { status, json } = await gateway.call('POST', '/api/v1/run/echo', body);
    const { detail } = json as { readonly detail: readonly { readonly loc: readonly unknown[] }[] };
    expect([status, detail.map(({ loc }) => loc.join('.'))]).toEqual([422, [`body.${place}`]]);
  });
});

test('the route of both forms refuses a member that neither has', async () => {
  const answer = await gateway.call('POST', `/run/${flowId}`, { input_value: 'x', version: 3 });
  expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'version'] }] } });
});
