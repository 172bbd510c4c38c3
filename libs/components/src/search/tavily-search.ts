import { boolean, dropdown, integer, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { callTavily } from '../integrations/tavily/call-tavily';
import { defineSearch } from './define-search';
import { splitCommas } from '../parsing/split-commas';

export default defineSearch({
  type: 'TavilySearchComponent',
  aliases: ['TavilyAISearch', 'TavilySearch', 'TavilySearchTool'],
  displayName: 'Tavily Search API',
  description: 'Searches the web with Tavily.',
  inputs: {
    api_key: secret({ displayName: 'Tavily API Key', required: true }),
    query: text({ displayName: 'Search Query', tool: true }),
    search_depth: dropdown({
      displayName: 'Search Depth',
      options: ['basic', 'advanced'],
      default: 'advanced',
      advanced: true,
    }),
    chunks_per_source: integer({ displayName: 'Chunks Per Source', default: 3, advanced: true }),
    topic: dropdown({
      displayName: 'Search Topic',
      options: ['general', 'news'],
      default: 'general',
      advanced: true,
    }),
    days: integer({ displayName: 'Days', default: 7, advanced: true }),
    max_results: integer({ displayName: 'Max Results', default: 5, advanced: true }),
    include_answer: boolean({ displayName: 'Include Answer', default: true, advanced: true }),
    time_range: dropdown({
      displayName: 'Time Range',
      options: ['day', 'week', 'month', 'year'],
      advanced: true,
    }),
    include_images: boolean({ displayName: 'Include Images', default: true, advanced: true }),
    include_domains: text({ displayName: 'Include Domains', advanced: true }),
    exclude_domains: text({ displayName: 'Exclude Domains', advanced: true }),
    include_raw_content: boolean({ displayName: 'Include Raw Content', advanced: true }),
  },
  toolName: 'tavily_search',
  resultsOf: (error) => [new Data({ error, text: error })],
  find: async (inputs, context) => {
    const { topic, search_depth, include_raw_content } = inputs;
    const answer = await callTavily(
      'search',
      apiKey(inputs.api_key, context),
      {
        query: inputs.query,
        search_depth,
        topic,
        max_results: inputs.max_results,
        include_images: inputs.include_images,
        include_answer: inputs.include_answer,
        include_raw_content,
        days: topic === 'news' ? inputs.days : undefined,
        chunks_per_source: search_depth === 'advanced' ? inputs.chunks_per_source : undefined,
        time_range: inputs.time_range === '' ? undefined : inputs.time_range,
        include_domains: listed(inputs.include_domains),
        exclude_domains: listed(inputs.exclude_domains),
      },
      context,
    );
    const searchAnswer = textMember(answer, 'answer');
    const images = member(answer, 'images');
    return [
      ...(inputs.include_answer && searchAnswer !== '' ? [new Data({ text: searchAnswer })] : []),
      ...objectsMember(answer, 'results').map((result) => {
        const { title = null, url = null, content = '', score = null, raw_content = null } = result;
        return new Data({
          title,
          url,
          content,
          score,
          ...(include_raw_content ? { raw_content } : {}),
          text: content,
        });
      }),
      ...(inputs.include_images && Array.isArray(images) && images.length > 0
        ? [new Data({ images, text: 'Images found' })]
        : []),
    ];
  },
});

function listed(domains: string): readonly string[] | undefined {
  const parts = splitCommas(domains);
  return parts.length === 0 ? undefined : parts;
}

/** The first versions use another field name for the key. */
function apiKey(key: string, { fields }: ComponentContext): string {
  const { tavily_api_key: former = '' } = fields;
  return key === '' && typeof former === 'string' ? former : key;
}
