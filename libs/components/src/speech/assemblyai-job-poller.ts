import { data, defineComponent, float, secret } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';
import { textMember } from '../integrations/http/json-members';
import { pollTranscript } from '../integrations/assemblyai/poll-transcript';

export default defineComponent({
  type: 'AssemblyAITranscriptionJobPoller',
  displayName: 'AssemblyAI Poll Transcript',
  description: 'Waits for a transcript that was started with AssemblyAI.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    transcript_id: data({ displayName: 'Transcript ID', required: true }),
    polling_interval: float({ displayName: 'Polling Interval', default: 3, advanced: true }),
  },
  outputs: {
    transcription_result: {
      types: ['Data', 'JSON'],
      displayName: 'Transcription Result',
      method: 'poll_transcription_job',
    },
  },
  deterministic: false,
  run: async ({ api_key, transcript_id, polling_interval }, context) => {
    const { error: former = '' } = transcript_id.data;
    if (former !== '' && former !== null) {
      context.status(former);
      return { transcription_result: transcript_id };
    }
    const id = textMember(transcript_id.data, 'transcript_id');
    const wait = { intervalMilliseconds: polling_interval * 1000, limitMilliseconds: Infinity };
    const result = await errorsAsData(
      async () => new Data(await pollTranscript(api_key, id, wait, context)),
      (error) => new Data({ error: `Getting transcription failed: ${error}` }),
    );
    context.status(result.data['error'] ?? result);
    return { transcription_result: result };
  },
});
