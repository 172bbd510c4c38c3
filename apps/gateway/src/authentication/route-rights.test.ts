import type { OpenApiDocument } from '../openapi/openapi-document';
import { ask, comparable, nothing, routeCases } from '../testing/route-cases';
import type { RouteCase } from '../testing/route-cases';
import { makeTenant } from '../testing/tenant';
import type { Tenant } from '../testing/tenant';
import { gatewayForTests } from '../testing/test-gateway';
import { confinedRoute } from '../http/routing/end-user-use';
import type { ConfinedRoute } from '../http/routing/end-user-use';
import { routesWithRights } from '../http/routing/route-rights';

type Caller = Pick<Tenant, 'call'>;

const READ_ONLY = 'This API key is read-only.';
const RUN_ONLY = 'This API key only starts runs.';
const BOUND = 'This API key is bound to flows or projects';

/** Resources of one user: of the flow that the bound keys reach, and of another one in another project. */
let own: Tenant;
let other: Tenant;
/** Resources of another user. */
let stranger: Tenant;
let callers: Readonly<
  Record<'run' | 'readOnly' | 'runOnly' | 'flow' | 'project' | 'endUsers' | 'endUser', Caller>
>;

const gateway = gatewayForTests();
beforeAll(async () => {
  own = await makeTenant(gateway, 'own');
  other = await makeTenant(gateway, 'other', own.key);
  stranger = await makeTenant(gateway, 'stranger');
  callers = {
    run: await callerWith({ scopes: ['run'] }),
    readOnly: await callerWith({ access: 'read_only' }),
    runOnly: await callerWith({ access: 'run_only' }),
    flow: await callerWith({ flows: [own.ids.flow] }),
    project: await callerWith({ projects: [own.ids.project] }),
    endUsers: await callerWith({ end_users: 'header' }),
    endUser: await callerWith({ end_users: 'header' }, { 'x-end-user-id': 'ann' }),
  };
}, 60_000);

async function callerWith(body: object, further: Record<string, string> = {}): Promise<Caller> {
  const { json, status, text } = await own.call('POST', '/api/v1/api_key/', body);
  if (status !== 200) throw new Error(text);
  const headers = { 'x-api-key': (json as { api_key: string }).api_key, ...further };
  return { call: (method, path, content) => gateway.call(method, path, content, headers) };
}

/** Where the paths of the documentation and of the table differ in the names of parameters, both have the same form. */
function formOf(route: string): string {
  return route.replaceAll(/\{\w+\}|:\w+/g, '*');
}

const rows = new Map(
  routesWithRights.map((route) => {
    const [method, path] = route.split(' ') as ['GET', string];
    return [formOf(route), confinedRoute({ method, path })] as const;
  }),
);

function rowOf({ route }: RouteCase): ConfinedRoute {
  const row = rows.get(formOf(route));
  if (row === undefined) throw new Error(`${route} has no row`);
  return row;
}

test('every route that takes a key has one row, and no other route has one', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  const keyed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => {
      const isOfIngest = /^\/api\/v1\/(webhook\/|triggers\/ingress)/.test(path);
      return security?.length === 0 || isOfIngest ? [] : [formOf(`${method.toUpperCase()} ${path}`)];
    }),
  );
  expect([...rows.keys()].sort()).toEqual(keyed.sort());
  expect(new Set(routesWithRights).size).toBe(routesWithRights.length);
});

test.each(routeCases)(
  '$route: a read-only and a run-only key have the right of the table',
  async (routeCase) => {
    const { right } = rowOf(routeCase);
    for (const [caller, allowed, text] of [
      [callers.readOnly, 'read', READ_ONLY],
      [callers.runOnly, 'run', RUN_ONLY],
    ] as const) {
      const answer = await ask(caller, routeCase, nothing);
      if (right === allowed) expect(answer.text).not.toContain(text);
      else expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(text)]);
    }
  },
);

const bounded = routeCases.filter((routeCase) => {
  // A case without a flow or run in it names nothing that a bound key could reach.
  const { place } = rowOf(routeCase);
  return place !== 'everything';
});

test.each(bounded)('$route: what is outside the bounds of a key is unknown to it', async (routeCase) => {
  for (const caller of [callers.flow, callers.project]) {
    const unknown = comparable(await ask(caller, routeCase, nothing), nothing);
    for (const { ids } of [other, stranger])
      expect(comparable(await ask(caller, routeCase, ids), ids)).toEqual(unknown);
  }
});

/** Its stream has no end. */
const ENDLESS = 'GET /api/v1/webhook-events/{flow}';

test.each(bounded.filter(({ route }) => route !== ENDLESS))(
  '$route: a bound key reaches its own flow as an unbound key does',
  async (routeCase) => {
    const { place } = rowOf(routeCase);
    const isNamed = place !== 'flow in query' || (routeCase.query?.(own.ids) ?? '').includes('flow_id');
    const unbound = await ask(callers.run, routeCase, own.ids);
    for (const [caller, reaches] of [
      [callers.flow, place !== 'project in path'],
      [callers.project, true],
    ] as const) {
      const answer = await ask(caller, routeCase, own.ids);
      if (!isNamed) expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(BOUND)]);
      else if (reaches) expect(answer.status).toBe(unbound.status);
      else expect(answer.status).toBe(404);
    }
  },
);

test.each(routeCases.filter((routeCase) => rowOf(routeCase).place === 'everything'))(
  '$route: refuses a bound key, whatever it names',
  async (routeCase) => {
    for (const { ids } of [own, other]) {
      const { status, text } = await ask(callers.flow, routeCase, ids);
      expect(status).toBe(403);
      expect(text).toMatch(/Permission denied|bound to flows or projects/);
    }
  },
);

/** Routes that take no end user, and serve keys that act for them: uploads for runs, and what is about no run. */
const servesAll = ({ use, right, place }: ConfinedRoute) =>
  use === null &&
  (place === 'flow in path'
    ? right === 'run'
    : ['tools', 'project in path', 'model in path', 'anything'].includes(place));

test.each(routeCases.filter((routeCase) => !servesAll(rowOf(routeCase))))(
  '$route: a key that acts for end users reaches nothing without one, and no run of another one',
  async (routeCase) => {
    const { use } = rowOf(routeCase);
    const answer = await ask(callers.endUsers, routeCase, own.ids);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual(
      use === null ? [403, 'permission_denied'] : [401, 'end_user_missing'],
    );
    if (use === 'sessions') return;
    const unknown = comparable(await ask(callers.endUser, routeCase, nothing), nothing);
    expect(comparable(await ask(callers.endUser, routeCase, own.ids), own.ids)).toEqual(unknown);
  },
);
