import { boolean, ComponentError, defineComponent, integer, secret, text } from '@millrace/flow';
import { Message, str } from '@millrace/python-text';
import { createTranscript } from '../integrations/assemblyai/create-transcript';
import { pollTranscript } from '../integrations/assemblyai/poll-transcript';

const intervalMilliseconds = 3000;

export default defineComponent({
  type: 'AssemblyAITranscriber',
  displayName: 'AssemblyAI Transcriber',
  description: 'Transcribes the speech at an address with AssemblyAI.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    audio_url: text({ displayName: 'Audio URL', required: true }),
    language_code: text({ displayName: 'Language', advanced: true }),
    speaker_labels: boolean({ displayName: 'Enable Speaker Labels', advanced: true }),
    poll_timeout: integer({ displayName: 'Poll Timeout', default: 300, advanced: true }),
  },
  outputs: { transcript: { types: ['Message'], displayName: 'Transcript', method: 'transcribe' } },
  deterministic: false,
  run: async ({ api_key, audio_url, language_code, speaker_labels, poll_timeout }, context) => {
    const options = { speaker_labels, ...(language_code === '' ? {} : { language_code }) };
    const id = await createTranscript(api_key, { url: audio_url }, options, context);
    const wait = { intervalMilliseconds, limitMilliseconds: Math.max(1, poll_timeout) * 1000 };
    const { text: spoken, error } = await pollTranscript(api_key, id, wait, context);
    if (error !== undefined && spoken === undefined) throw new ComponentError(`AssemblyAI: ${str(error)}`);
    return { transcript: new Message({ text: str(spoken ?? '') }) };
  },
});
