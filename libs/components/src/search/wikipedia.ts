import { boolean, ComponentError, integer, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { defineSearch } from './define-search';

const maximumPages = 20;
const agent = { 'user-agent': 'Millrace/1.0' };

export default defineSearch({
  type: 'WikipediaComponent',
  aliases: ['WikipediaAPI', 'WikipediaAPIComponent'],
  displayName: 'Wikipedia',
  typeNames: { WikipediaAPI: 'Wikipedia API' },
  description: 'Searches for articles on Wikipedia.',
  approximates: 'The setting for all available metadata adds only the address of an article.',
  inputs: {
    input_value: text({ displayName: 'Input', multiline: true, tool: true }),
    lang: text({ displayName: 'Language', default: 'en' }),
    k: integer({ displayName: 'Number of results', default: 4, required: true }),
    load_all_available_meta: boolean({ displayName: 'Load all available meta', advanced: true }),
    doc_content_chars_max: integer({
      displayName: 'Document content characters max',
      default: 4000,
      advanced: true,
    }),
  },
  toolName: 'wikipedia',
  find: async ({ input_value, lang, k, load_all_available_meta, doc_content_chars_max }, context) => {
    if (!/^[a-z]{2,12}(-[a-z]+)*$/.test(lang)) throw new ComponentError(`There is no Wikipedia "${lang}".`);
    const callApi = (query: Readonly<Record<string, string | number>>) => callWikipedia(lang, query, context);
    const answer = await callApi({
      list: 'search',
      srsearch: input_value.slice(0, 300),
      srlimit: Math.min(maximumPages, Math.max(1, k)),
    });
    const titles = objectsMember(answer, 'query', 'search').map((found) => textMember(found, 'title'));
    // One call for each page: Wikipedia returns whole texts only one at a time.
    const pages = await Promise.all(
      titles.map((batch) =>
        callApi({ prop: 'extracts|info', explaintext: 1, inprop: 'url', redirects: 1, titles: batch }),
      ),
    );
    return pages
      .flatMap((page) => objectsMember(page, 'query', 'pages'))
      .filter((page) => textMember(page, 'extract') !== '')
      .map((page) => {
        const content = textMember(page, 'extract');
        return new Data({
          title: textMember(page, 'title'),
          summary: summaryOf(content),
          source: textMember(page, 'fullurl'),
          ...(load_all_available_meta ? { url: textMember(page, 'canonicalurl') } : {}),
          text: content.slice(0, Math.max(0, doc_content_chars_max)),
        });
      });
  },
});

async function callWikipedia(
  language: string,
  query: Readonly<Record<string, string | number>>,
  context: ComponentContext,
): Promise<PythonValue> {
  const answer = await callJson(
    {
      service: 'Wikipedia',
      url: `https://${language}.wikipedia.org/w/api.php`,
      query: { action: 'query', format: 'json', formatversion: 2, ...query },
      headers: agent,
    },
    context,
  );
  // Wikipedia reports an invalid query with status 200.
  const apiError = textMember(answer, 'error', 'info');
  if (member(answer, 'error') !== null) throw new ComponentError(`Wikipedia: ${apiError}`);
  return answer;
}

/** Returns the part before the first heading. */
function summaryOf(content: string): string {
  const heading = content.search(/\n+==/);
  return (heading === -1 ? content : content.slice(0, heading)).trim();
}
