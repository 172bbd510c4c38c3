import { arbitraryRequest, hostileNumbers, hostileTexts } from '@millrace/gateway/testing';
import { propertyCases, testSeed } from '@millrace/service/testing';
import fc from 'fast-check';
import { bodies, placesIn, withValue } from './hostile-bodies';
import { echo, hook, openHostileInstallation } from './hostile-installation';
import type { HostileInstallation } from './hostile-installation';

/** How many requests each route gets, and how many values are tried in the members of bodies. */
const REQUESTS_PER_ROUTE = Number(process.env['TEST_HOSTILE_REQUESTS'] ?? 2);
const MEMBERS = propertyCases(200);
const SEED = testSeed();

type Paths = Readonly<
  Record<string, Readonly<Record<string, Parameters<typeof arbitraryRequest>[0]['operation']>>>
>;

let system: HostileInstallation;
beforeAll(async () => {
  system = await openHostileInstallation();
}, 300_000);
afterAll(() => system.close(), 120_000);

test('values that one side takes and another refuses, in every member of bodies, leave the work of a neighbour alone', async () => {
  const { attack, call, checkNeighbour, hostile, json, made } = system;
  await call(hostile, 'POST', '/api/v1/variables/', {
    name: 'SECRET',
    value: 'amqp://127.0.0.1:1',
    type: 'Credential',
  });
  const flow = String(
    (await made(hostile, '/api/v1/flows/', { name: 'base', endpoint_name: 'base', data: echo }))['id'],
  );
  const all = bodies(flow);
  const cases = all.flatMap(({ path, body }, index) =>
    placesIn(body).map((place) => ({ path, index, place })),
  );
  const values = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown[]>(...hostileTexts) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown[]>(...hostileNumbers, null, {}, [], { '\ud800': 1 }, [['\u0000']]),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), values, async ({ path, index, place }, value) => {
      const headers: Record<string, string> = path.includes('/run/') ? { prefer: 'respond-async' } : {};
      const { status, json: created } = await attack(
        json('POST', path, withValue(all[index]?.body, place, value), headers),
      );
      if (status >= 300) return;
      const id = String(created['id']);
      // The record is used, as its owner would: its runs end, its schedule fires, it is changed and listed.
      if (path === '/api/v1/flows/') {
        await attack(json('POST', `/api/v1/webhook/${id}`, { a: 1 }));
        await attack(
          json(
            'POST',
            `/api/v1/run/${id}`,
            { input_value: 'x' },
            { prefer: 'respond-async', 'idempotency-key': id },
          ),
        );
        await attack(json('PATCH', `/api/v1/flows/${id}`, { description: 'changed' }));
      } else if (path === '/api/v1/triggers') {
        await attack(json('POST', `/api/v1/triggers/${id}/enable`, {}));
        await attack(json('POST', `/api/v1/triggers/${id}/test`, {}));
      }
    }),
    { numRuns: MEMBERS, seed: SEED, endOnFailure: true },
  );
  await checkNeighbour();
}, 1_800_000);

test('such values in paths, queries, headers and bodies of every route leave the work of a neighbour alone', async () => {
  const { attack, checkNeighbour, counts, hostile, made } = system;
  const { paths } = (await (await fetch(`${system.url()}/openapi.json`)).json()) as { paths: Paths };
  const flow = String((await made(hostile, '/api/v1/flows/', { name: 'every', data: echo }))['id']);
  const documents = [
    { name: 'x', data: echo },
    { name: 'y', data: hook },
  ];
  for (const [template, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      // These have no end, or end the session of the hostile user.
      if (/\/(?:events|sse)\b/.test(template)) continue;
      const known = [flow, 'every', ...hostileTexts];
      const requests = arbitraryRequest({
        method: method.toUpperCase(),
        template,
        operation,
        key: hostile,
        known,
        documents,
      });
      await fc.assert(
        fc.asyncProperty(requests, async (request) => void (await attack(request))),
        {
          numRuns: REQUESTS_PER_ROUTE,
          seed: SEED,
          endOnFailure: true,
        },
      );
    }
  await checkNeighbour();
  console.info(`seed ${SEED}: ${JSON.stringify(counts)}`);
}, 1_800_000);
