import { outputOf } from '../testing/node-output.fixture';
import { startWikimedia } from '../integrations/wikimedia/wikimedia-server.fixture';

test('finds items by their names', async () => {
  const server = await startWikimedia();
  const search = (query: string) => outputOf('WikidataComponent', { query }, { 'www.wikidata.org': server });
  expect(await search('wind')).toEqual([
    {
      label: 'windmill',
      id: 'Q38720',
      url: '//www.wikidata.org/wiki/Q38720',
      description: 'machine that uses wind',
      concepturi: 'http://www.wikidata.org/entity/Q38720',
      text: 'windmill: machine that uses wind',
    },
  ]);
  expect(await search('mill')).toHaveLength(2);
  expect(await search('nothing')).toEqual([{ error: 'No search results found for the given query.' }]);
  await server.close();
});
