import { boolean, defineComponent, dropdown, handle, integer, tab, table, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { apiRequests } from './requests/api-requests';
import { sendRequest } from './requests/send-request';

/** Langflow's words, which its clients see in the logs of the vertex. */
const REDIRECT_WARNING =
  'Security Warning: HTTP redirects are enabled. This may allow SSRF bypass attacks where a public URL redirects to ' +
  'internal resources (e.g., cloud metadata endpoints). Only enable this if you trust the target server.';

export default defineComponent({
  type: 'APIRequest',
  aliases: ['APIRequestComponent'],
  displayName: 'API Request',
  description: 'Sends an HTTP request and returns the response.',
  inputs: {
    url_input: text({ displayName: 'URL', tool: true }),
    curl_input: text({ displayName: 'cURL', multiline: true, advanced: true, tool: true }),
    method: dropdown({
      displayName: 'Method',
      options: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
      default: 'GET',
    }),
    mode: tab({ displayName: 'Mode', options: ['URL', 'cURL'], default: 'URL' }),
    query_params: handle({ displayName: 'Query Parameters', inputTypes: ['Data', 'JSON'], advanced: true }),
    body: table({ displayName: 'Body', inputTypes: ['Data', 'JSON'], advanced: true }),
    headers: table({
      displayName: 'Headers',
      inputTypes: ['Data', 'JSON'],
      default: [{ key: 'User-Agent', value: 'Langflow/1.0' }],
      advanced: true,
    }),
    timeout: integer({ displayName: 'Timeout', default: 30, advanced: true }),
    follow_redirects: boolean({ displayName: 'Follow Redirects', advanced: true }),
    save_to_file: boolean({ displayName: 'Save to File', advanced: true }),
    include_httpx_metadata: boolean({ displayName: 'Include HTTPx Metadata', advanced: true }),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'API Response', method: 'make_api_request' },
  },
  deterministic: false,
  run: async (inputs, context) => {
    if (inputs.follow_redirects) context.log(REDIRECT_WARNING);
    const { requests, single } = apiRequests(inputs, context);
    const options = {
      timeoutMilliseconds: Math.max(1, inputs.timeout) * 1000,
      followRedirects: inputs.follow_redirects,
      saveToFile: inputs.save_to_file,
      includesRequestHeaders: inputs.include_httpx_metadata,
    };
    const answers: Data[] = [];
    for (const request of requests) answers.push(await sendRequest(request, options, context));
    const result = single ? (answers[0] ?? new Data()) : answers;
    context.status(result);
    return { data: result };
  },
});
