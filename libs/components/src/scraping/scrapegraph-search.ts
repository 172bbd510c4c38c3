import { defineComponent, isDict, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';

export default defineComponent({
  type: 'ScrapeGraphSearchApi',
  displayName: 'ScrapeGraph Search API',
  description: 'Answers a question with a ScrapeGraph search of the web.',
  inputs: {
    api_key: secret({ displayName: 'ScrapeGraph API Key', required: true }),
    user_prompt: text({ displayName: 'Search Prompt', tool: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'search' } },
  deterministic: false,
  run: async ({ api_key, user_prompt }, context) => {
    const key = requireKey(api_key, 'ScrapeGraph API Key');
    const answer = await callJson(
      {
        service: 'ScrapeGraph',
        url: 'https://api.scrapegraphai.com/v1/searchscraper',
        method: 'POST',
        headers: { 'sgai-apikey': key },
        json: { user_prompt },
        secrets: [key],
        timeoutMilliseconds: 120_000,
      },
      context,
    );
    const result = new Data(isDict(answer) ? answer : {});
    context.status(result);
    return { data: result };
  },
});
