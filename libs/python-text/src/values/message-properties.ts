export interface MessageSource {
  readonly id: string | null;
  readonly display_name: string | null;
  readonly source: string | null;
}

export interface MessageUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
}

/** Display properties of a message; all members are always present, as clients expect. */
export interface MessageProperties {
  readonly text_color: string | null;
  readonly background_color: string | null;
  readonly edited: boolean;
  readonly source: MessageSource;
  readonly icon: string | null;
  readonly allow_markdown: boolean;
  readonly positive_feedback: boolean | null;
  readonly state: 'partial' | 'complete';
  readonly targets: readonly unknown[];
  readonly usage: MessageUsage | null;
  readonly build_duration: number | null;
}

/** Text that is produced chunk by chunk. */
export interface TextStream extends AsyncIterable<string> {
  /** The token usage, after the stream ended and if its source reports it. */
  readonly usage?: MessageUsage | null;
  /** The final content of the message, after the stream ended and if it differs from the streamed text. */
  readonly ending?: TextEnding | null;
}

/** The final content of a message: an agent streams its reasoning, and its answer comes last. */
export interface TextEnding {
  readonly text: string;
  readonly contentBlocks: readonly unknown[];
}
