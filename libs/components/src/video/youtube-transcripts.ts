import { ComponentError, componentTools, defineComponent, dropdown, integer, text } from '@millrace/flow';
import type { Component, ComponentContext } from '@millrace/flow';
import { Data, DataFrame, Message } from '@millrace/python-text';
import { HttpFailure } from '../integrations/http/http-failure';
import { splitCommas } from '../parsing/split-commas';
import { youtubeCaptions } from '../integrations/youtube/youtube-captions';
import type { Caption } from '../integrations/youtube/youtube-captions';

const component: Component = defineComponent({
  type: 'YouTubeTranscripts',
  aliases: ['YouTubeTranscriptsComponent'],
  displayName: 'YouTube Transcripts',
  description: 'Returns the transcript of a YouTube video.',
  inputs: {
    url: text({ displayName: 'Video URL', multiline: true, required: true, tool: true }),
    chunk_size_seconds: integer({ displayName: 'Chunk Size (seconds)', default: 60 }),
    translation: dropdown({
      displayName: 'Translation Language',
      options: ['en', 'es', 'fr', 'de', 'it', 'pt', 'ru', 'ja', 'ko', 'hi', 'ar', 'id'],
      advanced: true,
    }),
    transcript_format: dropdown({
      displayName: 'Transcript Format of earlier versions',
      options: ['text', 'chunks'],
      default: 'chunks',
    }),
    language: text({ displayName: 'Language of earlier versions', multiline: true }),
  },
  outputs: {
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'Chunks', method: 'get_dataframe_output' },
    message: { types: ['Message'], displayName: 'Transcript', method: 'get_message_output' },
    data_output: { types: ['Data', 'JSON'], displayName: 'Transcript + Source', method: 'get_data_output' },
    transcripts: { types: ['Data', 'JSON'], displayName: 'Transcripts of earlier versions', tool: false },
    transcripts_tool: { types: ['Tool'], displayName: 'Tool of earlier versions', tool: false },
  },
  deterministic: false,
  run: async (inputs, context) => {
    if (context.wants('transcripts_tool') && !context.wants('dataframe'))
      return { transcripts_tool: tool(inputs, context) };
    const { url, translation, language } = inputs;
    try {
      const query = { video: url, languages: splitCommas(language), translation };
      const captions = await youtubeCaptions(query, context);
      const chunks = chunksOf(captions, Math.max(1, inputs.chunk_size_seconds));
      const whole = captions.map((caption) => caption.text).join(' ');
      const wantsChunks = inputs.transcript_format === 'chunks';
      return {
        dataframe: new DataFrame(chunks, ['timestamp', 'text']),
        message: new Message({ text: whole }),
        data_output: new Data({ transcript: whole, video_url: url }),
        transcripts: wantsChunks ? chunks.map((chunk) => new Data(chunk)) : [new Data({ text: whole })],
      };
    } catch (error) {
      if (!(error instanceof ComponentError) || error instanceof HttpFailure) throw error;
      return failed(url, error.message);
    }
  },
});

export default component;

/** A missing transcript is reported in the output; the vertex does not fail. */
function failed(video_url: string, error: string) {
  return {
    dataframe: new DataFrame([{ error }]),
    message: new Message({ text: error }),
    data_output: new Data({ transcript: '', video_url, error }),
    transcripts: [new Data({ error })],
  };
}

function chunksOf(
  captions: readonly Caption[],
  seconds: number,
): readonly { readonly timestamp: string; readonly text: string }[] {
  const chunks = new Map<number, string[]>();
  for (const { startSeconds, text: spoken } of captions) {
    const index = Math.floor(startSeconds / seconds);
    chunks.set(index, [...(chunks.get(index) ?? []), spoken]);
  }
  return [...chunks].map(([index, lines]) => ({ timestamp: clock(index * seconds), text: lines.join(' ') }));
}

function clock(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

function tool(inputs: Readonly<Record<string, unknown>>, context: ComponentContext) {
  const tools = componentTools(component, { inputs, connected: new Set(), table: null, context });
  return tools.slice(0, 1).map((first) => ({ ...first, name: 'youtube_transcripts' }));
}
