import { text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { objectsMember, textMember } from '../integrations/http/json-members';
import { defineSearch } from './define-search';

export default defineSearch({
  type: 'WikidataComponent',
  aliases: ['WikidataAPI', 'WikidataAPIComponent'],
  displayName: 'Wikidata',
  typeNames: { WikidataAPI: 'Wikidata API' },
  description: 'Searches Wikidata for items by name.',
  inputs: { query: text({ displayName: 'Query', multiline: true, required: true, tool: true }) },
  toolName: 'wikidata_search_api',
  find: async ({ query }, context) => {
    const answer = await callJson(
      {
        service: 'Wikidata',
        url: 'https://www.wikidata.org/w/api.php',
        query: { action: 'wbsearchentities', format: 'json', search: query, language: 'en' },
        headers: { 'user-agent': 'Millrace/1.0' },
      },
      context,
    );
    const found = objectsMember(answer, 'search');
    if (found.length === 0) return [new Data({ error: 'No search results found for the given query.' })];
    return found.map((thing) => {
      const { id = null, url = null, concepturi = null } = thing;
      const label = textMember(thing, 'label');
      const description = textMember(thing, 'description');
      return new Data({ label, id, url, description, concepturi, text: `${label}: ${description}` });
    });
  },
});
