import { failureOf, node } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { sharedEffects } from '../testing/shared-effects.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { apifyToken, startApify } from '../integrations/apify/apify-server.fixture';

const server = serviceForEachTest(startApify);

type Values = Readonly<Record<string, unknown>>;
const base = { apify_token: apifyToken, actor_id: 'apify/finder' };
const run = (query: string, values: Values = {}, options: RunOptions = {}) =>
  outputOf(
    'ApifyActors',
    { ...base, run_input: JSON.stringify({ query }), ...values },
    { 'api.apify.com': server },
    'output',
    options,
  );
const startedRuns = () => server.asked.filter(({ method }) => method === 'POST').length;

test('returns the items that an actor collects', async () => {
  expect(await run('mills')).toMatchObject([
    { data: { title: 'About mills', metadata: { url: 'https://a.test/' } } },
    { data: { title: 'More' } },
  ]);
  expect(await run('bread')).toMatchObject([{ data: { title: 'About bread' } }, {}]);
});

test('a later attempt waits for the actor run that an earlier one started', async () => {
  const effects = sharedEffects();
  const first = await run('mills', {}, { effects });
  expect(await run('mills', {}, { effects })).toEqual(first);
  expect(startedRuns()).toBe(1);
  await run('bread', {}, { effects });
  expect(startedRuns()).toBe(2);
});

test('selects fields and flattens objects', async () => {
  expect(await run('x', { dataset_fields: "'title', metadata.url" })).toMatchObject([
    { data: { title: 'About x', metadata_url: 'https://a.test/' } },
    { data: { title: 'More', metadata_url: null } },
  ]);
  expect(await run('x', { flatten_dataset: true })).toMatchObject([
    { data: { metadata_url: 'https://a.test/', metadata_depth_level: 1 } },
    {},
  ]);
});

test('is a tool that describes its input', async () => {
  const options = { output: 'tool', fetch: fetchFrom({ 'api.apify.com': server }) };
  const { tools, result } = await callToolOf(
    node('Apify-a', 'ApifyActors', base),
    { run_input: '{"query":"mills"}' },
    options,
  );
  expect(tools[0]).toMatchObject({
    name: 'apify_actor_apify_finder',
    description: expect.stringContaining('# Finder') as unknown,
  });
  expect(result).toContain('"title":"About mills"');
});

test.each([
  [{ run_input: 'nonsense' }, 'The run input is not JSON.'],
  [{ run_input: '{}' }, 'Apify answered with status 400 Bad Request: Input is not valid'],
  [{ run_input: '{"query":"fail"}' }, 'Apify: the run of apify/finder ended with status FAILED.'],
  [{ actor_id: 'no/body' }, 'Apify answered with status 404 Not Found: Actor was not found'],
  [{ apify_token: 'wrong' }, 'Apify answered with status 401'],
])('%j fails', async (values, reason) => {
  expect(await failureOf(run('x', values))).toContain(reason);
});
