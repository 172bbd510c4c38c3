import { boolean, defineComponent, dropdown, integer, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';
import { splitCommas } from '../parsing/split-commas';

export default defineComponent({
  type: 'ExaSearch',
  aliases: ['ExaSearchToolkit'],
  displayName: 'Exa Search',
  description: 'Provides agents with tools to search the web with Exa.',
  inputs: {
    metaphor_api_key: secret({ displayName: 'Exa API Key', required: true }),
    search_type: dropdown({
      displayName: 'Search type',
      options: ['auto', 'fast', 'instant', 'deep'],
      default: 'auto',
    }),
    search_num_results: integer({ displayName: 'Search Number of Results', default: 5 }),
    similar_num_results: integer({ displayName: 'Similar Number of Results', default: 5 }),
    include_highlights: boolean({ displayName: 'Include highlights', default: true, advanced: true }),
    include_text: boolean({ displayName: 'Include full text', advanced: true }),
    category: dropdown({
      displayName: 'Category',
      options: ['company', 'people', 'research paper', 'news', 'personal site', 'financial report'],
      advanced: true,
    }),
    include_domains: text({ displayName: 'Include domains', advanced: true }),
    exclude_domains: text({ displayName: 'Exclude domains', advanced: true }),
    start_published_date: text({ displayName: 'Start published date', advanced: true }),
    end_published_date: text({ displayName: 'End published date', advanced: true }),
    use_autoprompt: boolean({ displayName: 'Use Autoprompt', advanced: true }),
  },
  outputs: { tools: { types: ['Tool'], displayName: 'Tools' } },
  deterministic: false,
  run: ({ metaphor_api_key, ...inputs }, context) => {
    const key = requireKey(metaphor_api_key, 'Exa API Key');
    const contents = {
      ...(inputs.include_highlights ? { highlights: true } : {}),
      ...(inputs.include_text ? { text: true } : {}),
    };
    const narrowed = {
      type: inputs.search_type,
      numResults: inputs.search_num_results,
      contents,
      category: inputs.category || undefined,
      includeDomains: listed(inputs.include_domains),
      excludeDomains: listed(inputs.exclude_domains),
      startPublishedDate: inputs.start_published_date || undefined,
      endPublishedDate: inputs.end_published_date || undefined,
    };
    const words = { type: 'string' };
    return {
      tools: [
        tool({
          name: 'search',
          description: 'Searches the web with Exa and gives results with highlights.',
          parameters: schema({ query: words }),
          call: ({ query }) => callExa('search', key, { ...narrowed, query }, context),
        }),
        tool({
          name: 'get_contents',
          description: 'Gives the contents of results of search, by their ids.',
          parameters: schema({ ids: { type: 'array', items: words } }),
          call: ({ ids }) => callExa('contents', key, { ...contents, ids }, context),
        }),
        tool({
          name: 'find_similar',
          description: 'Finds pages that are like the one at an address.',
          parameters: schema({ url: words }),
          call: ({ url }) =>
            callExa('findSimilar', key, { url, numResults: inputs.similar_num_results }, context),
        }),
      ],
    };
  },
});

function tool(parts: Omit<ToolHandle, 'kind'>): ToolHandle {
  return { kind: 'tool', ...parts };
}

function schema(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: 'object', properties, required: Object.keys(properties) };
}

async function callExa(path: string, key: string, json: unknown, context: ComponentContext): Promise<string> {
  const answer = await callJson(
    {
      service: 'Exa',
      url: `https://api.exa.ai/${path}`,
      method: 'POST',
      headers: { 'x-api-key': key },
      json,
      secrets: [key],
      repeatable: true,
    },
    context,
  );
  return JSON.stringify(jsonValue(answer));
}

function listed(domains: string): readonly string[] | undefined {
  const parts = splitCommas(domains);
  return parts.length === 0 ? undefined : parts;
}
