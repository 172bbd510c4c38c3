import { boolean, ComponentError, dropdown, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { member, objectsMember } from '../integrations/http/json-members';
import { callTavily } from '../integrations/tavily/call-tavily';
import { defineSearch } from './define-search';
import { splitCommas } from '../parsing/split-commas';

export default defineSearch({
  type: 'TavilyExtractComponent',
  displayName: 'Tavily Extract API',
  description: 'Extracts the content of web pages with Tavily.',
  inputs: {
    api_key: secret({ displayName: 'Tavily API Key', required: true }),
    urls: text({ displayName: 'URLs', required: true, tool: true }),
    extract_depth: dropdown({
      displayName: 'Extract Depth',
      options: ['basic', 'advanced'],
      default: 'basic',
      advanced: true,
    }),
    include_images: boolean({ displayName: 'Include Images', advanced: true }),
  },
  toolName: 'tavily_extract',
  resultsOf: (error) => [new Data({ error, text: error })],
  find: async ({ api_key, urls, extract_depth, include_images }, context) => {
    const wanted = splitCommas(urls);
    if (wanted.length === 0) throw new ComponentError('No valid URLs provided');
    const answer = await callTavily(
      'extract',
      api_key,
      { urls: wanted, extract_depth, include_images },
      context,
    );
    const failed = member(answer, 'failed_results');
    return [
      ...objectsMember(answer, 'results').map(
        ({ url = null, raw_content = '', images = [] }) =>
          new Data({ url, raw_content, images, text: raw_content }),
      ),
      ...(Array.isArray(failed) && failed.length > 0
        ? [new Data({ failed_results: failed, text: 'Failed extractions' })]
        : []),
    ];
  },
});
