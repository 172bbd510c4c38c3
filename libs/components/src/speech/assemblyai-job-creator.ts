import { boolean, ComponentError, defineComponent, dropdown, file, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';
import { createTranscript } from '../integrations/assemblyai/create-transcript';

export default defineComponent({
  type: 'AssemblyAITranscriptionJobCreator',
  displayName: 'AssemblyAI Start Transcript',
  description: 'Starts a transcription of speech with AssemblyAI.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    audio_file: file({ displayName: 'Audio File' }),
    audio_file_url: text({ displayName: 'Audio File URL', advanced: true }),
    speech_model: dropdown({
      displayName: 'Speech Model',
      options: ['best', 'nano'],
      default: 'best',
      advanced: true,
    }),
    language_detection: boolean({ displayName: 'Automatic Language Detection', advanced: true }),
    language_code: text({ displayName: 'Language', advanced: true }),
    speaker_labels: boolean({ displayName: 'Enable Speaker Labels' }),
    speakers_expected: text({ displayName: 'Expected Number of Speakers', advanced: true }),
    punctuate: boolean({ displayName: 'Punctuate', default: true, advanced: true }),
    format_text: boolean({ displayName: 'Format Text', default: true, advanced: true }),
  },
  outputs: {
    transcript_id: {
      types: ['Data', 'JSON'],
      displayName: 'Transcript ID',
      method: 'create_transcription_job',
    },
  },
  deterministic: false,
  run: async (
    { api_key, audio_file, audio_file_url, language_code, speakers_expected, ...options },
    context,
  ) => {
    const create = async (): Promise<Data> => {
      const speakers = Number(speakers_expected);
      if (speakers_expected.trim() !== '' && !Number.isInteger(speakers))
        throw new ComponentError('Error: Expected Number of Speakers must be a valid integer');
      const transcript_id = await createTranscript(
        api_key,
        { file: audio_file[0], url: audio_file_url },
        {
          ...options,
          ...(language_code === '' ? {} : { language_code }),
          ...(speakers > 0 ? { speakers_expected: speakers } : {}),
        },
        context,
      );
      return new Data({ transcript_id });
    };
    const result = await errorsAsData(
      create,
      (error) => new Data({ error: error.startsWith('Error: ') ? error : `An error occurred: ${error}` }),
    );
    context.status(result.data['error'] ?? result);
    return { transcript_id: result };
  },
});
