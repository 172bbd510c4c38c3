import { failureOf } from '../testing/flow-under-test.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { startWikimedia } from '../integrations/wikimedia/wikimedia-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startWikimedia);

const search = (values: Readonly<Record<string, unknown>>) =>
  outputOf('WikipediaComponent', values, { 'en.wikipedia.org': server });

test('returns articles with the part before their first heading', async () => {
  expect(await search({ input_value: 'history' })).toEqual([
    {
      title: 'Watermill',
      summary: 'A watermill uses water power.',
      source: 'https://en.wikipedia.org/wiki/Watermill',
      text: 'A watermill uses water power.\n\n\n== History ==\nIt is old.',
    },
  ]);
});

test('limits the number and the length of articles', async () => {
  const titles = async (values: Readonly<Record<string, unknown>>) =>
    ((await search(values)) as readonly { readonly title: string }[]).map(({ title }) => title);
  expect(await titles({ input_value: 'mill' })).toEqual(['Watermill', 'Windmill']);
  expect(await titles({ input_value: 'mill', k: 1 })).toEqual(['Watermill']);
  expect(await titles({ input_value: 'river' })).toEqual(['River']);
  expect(await search({ input_value: 'river', doc_content_chars_max: 7 })).toMatchObject([
    { text: 'A river' },
  ]);
});

test('calls only the Wikipedia of a language', async () => {
  expect(await failureOf(search({ input_value: 'x', lang: 'de' }))).toContain('de.wikipedia.org');
  expect(await failureOf(search({ input_value: 'x', lang: 'evil.test/' }))).toContain(
    'There is no Wikipedia "evil.test/".',
  );
  expect(await failureOf(search({ input_value: '' }))).toContain(
    'Wikipedia: The "srsearch" parameter must be set.',
  );
});
