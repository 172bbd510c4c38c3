import { data, defineComponent, dropdown, integer, secret } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';
import { textMember } from '../integrations/http/json-members';
import { textOfAssemblyAi } from '../integrations/assemblyai/call-assemblyai';

export default defineComponent({
  type: 'AssemblyAIGetSubtitles',
  displayName: 'AssemblyAI Get Subtitles',
  description: 'Exports an AssemblyAI transcript as subtitles.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    transcription_result: data({ displayName: 'Transcription Result', required: true }),
    subtitle_format: dropdown({ displayName: 'Subtitle Format', options: ['srt', 'vtt'], default: 'srt' }),
    chars_per_caption: integer({ displayName: 'Characters per Caption', default: 0, advanced: true }),
  },
  outputs: { subtitles: { types: ['Data', 'JSON'], displayName: 'Subtitles', method: 'get_subtitles' } },
  deterministic: false,
  run: async ({ api_key, transcription_result, subtitle_format, chars_per_caption }, context) => {
    const { error: former = '' } = transcription_result.data;
    if (former !== '' && former !== null) {
      context.status(former);
      return { subtitles: transcription_result };
    }
    const transcript_id = textMember(transcription_result.data, 'id');
    const format = subtitle_format === 'vtt' ? 'vtt' : 'srt';
    const path = `v2/transcript/${encodeURIComponent(transcript_id)}/${format}`;
    const query = { chars_per_caption: chars_per_caption > 0 ? chars_per_caption : null };
    const read = async (): Promise<Data> => {
      const subtitles = await textOfAssemblyAi(api_key, path, { query }, context);
      return new Data({ subtitles, format, transcript_id, chars_per_caption });
    };
    const result = await errorsAsData(
      read,
      (error) => new Data({ error: `Getting transcription failed: ${error}` }),
    );
    context.status(result.data['error'] ?? result);
    return { subtitles: result };
  },
});
