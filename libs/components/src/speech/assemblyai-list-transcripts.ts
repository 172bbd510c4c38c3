import { boolean, defineComponent, dropdown, integer, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';
import { objectsMember } from '../integrations/http/json-members';
import { callAssemblyAi } from '../integrations/assemblyai/call-assemblyai';

const maximumTranscripts = 200;

export default defineComponent({
  type: 'AssemblyAIListTranscripts',
  displayName: 'AssemblyAI List Transcripts',
  description: 'Lists the transcripts of an AssemblyAI account.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    limit: integer({ displayName: 'Limit', default: 20 }),
    status_filter: dropdown({
      displayName: 'Status Filter',
      options: ['all', 'queued', 'processing', 'completed', 'error'],
      default: 'all',
      advanced: true,
    }),
    created_on: text({ displayName: 'Created On', advanced: true }),
    throttled_only: boolean({ displayName: 'Throttled Only', advanced: true }),
  },
  outputs: {
    transcript_list: { types: ['Data', 'JSON'], displayName: 'Transcript List', method: 'list_transcripts' },
  },
  deterministic: false,
  run: async ({ api_key, limit, status_filter, created_on, throttled_only }, context) => {
    const query = {
      limit: Math.min(maximumTranscripts, limit > 0 ? limit : maximumTranscripts),
      status: status_filter === 'all' ? null : status_filter,
      created_on,
      throttled_only: throttled_only ? true : null,
    };
    const list = async () => {
      const answer = await callAssemblyAi(api_key, 'v2/transcript', { query }, context);
      return objectsMember(answer, 'transcripts').map((transcript) => new Data(transcript));
    };
    const found = await errorsAsData(list, (error) => [new Data({ error: `An error occurred: ${error}` })]);
    context.status(found);
    return { transcript_list: found };
  },
});
