import { boolean, ComponentError, defineComponent, dropdown, integer, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { member } from '../integrations/http/json-members';
import { requireKey } from '../integrations/http/require-key';

export default defineComponent({
  type: 'AgentQL',
  displayName: 'Extract Web Data',
  description: 'Extracts data from a web page with AgentQL.',
  inputs: {
    api_key: secret({ displayName: 'AgentQL API Key', required: true }),
    url: text({ displayName: 'URL', required: true, tool: true }),
    query: text({ displayName: 'AgentQL Query', multiline: true, tool: true }),
    prompt: text({ displayName: 'Prompt', multiline: true, tool: true }),
    is_stealth_mode_enabled: boolean({ displayName: 'Enable Stealth Mode (Beta)', advanced: true }),
    timeout: integer({ displayName: 'Timeout', default: 900, advanced: true }),
    mode: dropdown({
      displayName: 'Request Mode',
      options: ['fast', 'standard'],
      default: 'fast',
      advanced: true,
    }),
    wait_for: integer({ displayName: 'Wait For', default: 0, advanced: true }),
    is_scroll_to_bottom_enabled: boolean({ displayName: 'Enable scroll to bottom', advanced: true }),
    is_screenshot_enabled: boolean({ displayName: 'Enable screenshot', advanced: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'JSON', method: 'agent_ql' } },
  deterministic: false,
  run: async ({ api_key, url, query, prompt, timeout, ...settings }, context) => {
    if (prompt === '' && query === '') throw new ComponentError('Either Query or Prompt must be provided.');
    if (prompt !== '' && query !== '')
      throw new ComponentError("Both Query and Prompt can't be provided at the same time.");
    const { is_stealth_mode_enabled, ...params } = settings;
    const key = requireKey(api_key, 'AgentQL API Key');
    const answer = await callJson(
      {
        service: 'AgentQL',
        url: 'https://api.agentql.com/v1/query-data',
        method: 'POST',
        headers: { 'x-api-key': key },
        json: {
          url,
          query: query === '' ? null : query,
          prompt: prompt === '' ? null : prompt,
          params,
          metadata: { experimental_stealth_mode_enabled: is_stealth_mode_enabled },
        },
        secrets: [key],
        timeoutMilliseconds: Math.max(1, timeout) * 1000,
        repeatable: true,
      },
      context,
    );
    const result = new Data({ result: member(answer, 'data'), metadata: member(answer, 'metadata') });
    context.status(result);
    return { data: result };
  },
});
