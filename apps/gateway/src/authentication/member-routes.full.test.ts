import { confinedRoute } from '../http/routing/end-user-use';
import { routesWithRights } from '../http/routing/route-rights';
import { ask, comparable, nothing, routeCases } from '../testing/route-cases';
import { makeTenant } from '../testing/tenant';
import type { Tenant } from '../testing/tenant';
import { gatewayForTests } from '../testing/test-gateway';
import { servedRoutes } from './member-routes.fixture';

type Kind = keyof typeof servedRoutes;
type Caller = Pick<Tenant, 'call'> & { readonly headers: Record<string, string> };

const kinds = Object.keys(servedRoutes) as Kind[];
/** Why a route serves no member of a role, whatever the request names. */
const REFUSED =
  /Permission denied|enough privileges|does not allow this|sees no payloads|of which this route is not/;

/** Resources of the project, of another project of its owner, and of another user. */
let own: Tenant;
let other: Tenant;
let stranger: Tenant;
const members = new Map<Kind, Caller>();
const gateway = gatewayForTests();
beforeAll(async () => {
  own = await makeTenant(gateway, 'own');
  other = await makeTenant(gateway, 'other', own.key);
  stranger = await makeTenant(gateway, 'stranger');
  for (const kind of kinds) {
    const user = (await gateway.call('POST', '/api/v1/users', { username: kind })).json as {
      readonly id: string;
      readonly api_key: string;
    };
    const isSeeing = kind === 'viewerWithPayloads';
    const path = `/api/v1/members/${own.ids.project}/${user.id}`;
    const body = isSeeing ? { role: 'viewer', payloads: true } : { role: kind };
    const { status, text } = await own.call('PUT', path, body);
    if (status !== 200) throw new Error(text);
    members.set(kind, callerWith({ 'x-api-key': user.api_key, 'x-millrace-project': own.ids.project }));
  }
}, 60_000);

function callerWith(headers: Record<string, string>): Caller {
  return { headers, call: (method, path, body) => gateway.call(method, path, body, headers) };
}

function memberOf(kind: Kind): Caller {
  const found = members.get(kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

function serves(kind: Kind, route: string): boolean {
  const upTo = kinds.slice(0, kinds.indexOf(kind) + 1);
  return upTo.some((one) => (servedRoutes[one] as readonly string[]).includes(route));
}

/** Sends a request with ids that do not exist; of a stream, only its beginning is read. */
async function textOf(route: string, headers: Record<string, string>): Promise<string> {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/:\w+/g, nothing.flow);
  const { place } = confinedRoute({ method: method as 'GET', path: template });
  const queries: Partial<Record<typeof place, string>> = {
    'flow in query': `?flow_id=${nothing.flow}`,
    'run in query': `?job_id=${nothing.job}`,
  };
  const query = queries[place] ?? '';
  const leaving = new AbortController();
  const { signal } = leaving;
  const body = method === 'GET' ? {} : { body: '{}' };
  const sent = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(gateway.url + path + query, { method, signal, headers: sent, ...body });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? 'a stream' : await answer.text();
  leaving.abort();
  return `${answer.status} ${text}`;
}

test('the table names routes that exist, each once', () => {
  const named = Object.values(servedRoutes).flat();
  expect(named.filter((route) => !routesWithRights.includes(route))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

test.each(routesWithRights)('%s serves the roles of the table', async (route) => {
  for (const kind of kinds) {
    const text = await textOf(route, memberOf(kind).headers);
    expect([kind, REFUSED.test(text)]).toEqual([kind, !serves(kind, route)]);
    if (!serves(kind, route)) expect(text).toMatch(/^403 /);
  }
});

/** Where the paths of the documentation and of the table differ in the names of parameters, both have the same form. */
const formOf = (route: string) => route.replaceAll(/\{\w+\}|:\w+/g, '*');
const byForm = new Map(routesWithRights.map((route) => [formOf(route), route]));
const servedCases = routeCases.filter(({ route }) => serves('owner', byForm.get(formOf(route)) ?? ''));

test.each(servedCases)('$route: what is outside the project is unknown to every role', async (routeCase) => {
  for (const kind of kinds.filter((one) => serves(one, byForm.get(formOf(routeCase.route)) ?? ''))) {
    const member = memberOf(kind);
    const unknown = comparable(await ask(member, routeCase, nothing), nothing);
    for (const { ids } of [other, stranger])
      expect(comparable(await ask(member, routeCase, ids), ids)).toEqual(unknown);
  }
});

/** A stream without an end, and what would end the other tests. */
const notHere = ['GET /api/v1/webhook-events/{flow}', 'DELETE /api/v1/flows/{flow_id}'];
const reached = servedCases.filter(({ route }) => !notHere.includes(route));

test.each(reached)('$route: a member reaches the project as a key of its owner does', async (routeCase) => {
  const isNamed =
    confinedPlace(routeCase.route) !== 'flow in query' ||
    (routeCase.query?.(own.ids) ?? '').includes('flow_id');
  const { status } = await ask(own, routeCase, own.ids);
  for (const kind of kinds.filter((one) => serves(one, byForm.get(formOf(routeCase.route)) ?? ''))) {
    const answer = await ask(memberOf(kind), routeCase, own.ids);
    expect([kind, answer.status]).toEqual([kind, isNamed ? status : 403]);
  }
});

function confinedPlace(route: string): string {
  const [method, path] = (byForm.get(formOf(route)) ?? '').split(' ') as ['GET', string];
  return confinedRoute({ method, path }).place;
}

test.each(routesWithRights)(
  '%s: an unknown and a foreign project are answered with the same bytes',
  async (route) => {
    const { headers } = memberOf('owner');
    const { project } = own.ids;
    const malformed = ['no id', `${project}, ${project}`, other.ids.project];
    const all = [nothing.flow, stranger.ids.project, ...(route.endsWith('/whoami') ? malformed : [])];
    const answers = await Promise.all(
      all.map((name) => textOf(route, { ...headers, 'x-millrace-project': name })),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(
      /^403 .*(You are not a member of this project|Permission denied|enough privileges)/,
    );
  },
);
