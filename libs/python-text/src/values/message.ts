import type { PythonObject } from './python-value';

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

export interface MessageFields {
  readonly text: string;
  /** Text that is still streaming; `text` is then the part that is known. */
  readonly stream: TextStream | null;
  readonly sender: string | null;
  readonly senderName: string | null;
  readonly files: readonly string[];
  readonly sessionId: string;
  /** Null only for messages that report an error. */
  readonly contextId: string | null;
  readonly flowId: string | null;
  readonly runId: string | null;
  /** `YYYY-mm-dd HH:MM:SS.ffffff UTC`. */
  readonly timestamp: string;
  readonly error: boolean;
  readonly edit: boolean;
  readonly properties: MessageProperties;
  readonly category: 'message' | 'error' | 'warning' | 'info';
  readonly contentBlocks: readonly unknown[];
  readonly duration: number | null;
  readonly sessionMetadata: PythonObject | null;
  /** Set when the message is stored. */
  readonly id: string | null;
  /** Additional members that a component set (Langflow keeps them in `.data`). */
  readonly extra: PythonObject;
}

/** Default fields of a message; shared and never changed. */
const defaults: MessageFields = {
  text: '',
  stream: null,
  sender: null,
  senderName: null,
  files: [],
  sessionId: '',
  contextId: '',
  flowId: null,
  runId: null,
  timestamp: '',
  error: false,
  edit: false,
  properties: {
    text_color: null,
    background_color: null,
    edited: false,
    source: { id: null, display_name: null, source: null },
    icon: null,
    allow_markdown: false,
    positive_feedback: null,
    state: 'complete',
    targets: [],
    usage: null,
    build_duration: null,
  },
  category: 'message',
  contentBlocks: [],
  duration: null,
  sessionMetadata: null,
  id: null,
  extra: {},
};

/**
 * Returns the fields with some of them changed, always in the same order. Written out, because spreading objects of
 * many shapes is more expensive than all other work of a quick component.
 */
function changed(fields: MessageFields, changes: Partial<MessageFields>): MessageFields {
  return {
    text: changes.text === undefined ? fields.text : changes.text,
    stream: changes.stream === undefined ? fields.stream : changes.stream,
    sender: changes.sender === undefined ? fields.sender : changes.sender,
    senderName: changes.senderName === undefined ? fields.senderName : changes.senderName,
    files: changes.files === undefined ? fields.files : changes.files,
    sessionId: changes.sessionId === undefined ? fields.sessionId : changes.sessionId,
    contextId: changes.contextId === undefined ? fields.contextId : changes.contextId,
    flowId: changes.flowId === undefined ? fields.flowId : changes.flowId,
    runId: changes.runId === undefined ? fields.runId : changes.runId,
    timestamp: changes.timestamp === undefined ? fields.timestamp : changes.timestamp,
    error: changes.error === undefined ? fields.error : changes.error,
    edit: changes.edit === undefined ? fields.edit : changes.edit,
    properties: changes.properties === undefined ? fields.properties : changes.properties,
    category: changes.category === undefined ? fields.category : changes.category,
    contentBlocks: changes.contentBlocks === undefined ? fields.contentBlocks : changes.contentBlocks,
    duration: changes.duration === undefined ? fields.duration : changes.duration,
    sessionMetadata: changes.sessionMetadata === undefined ? fields.sessionMetadata : changes.sessionMetadata,
    id: changes.id === undefined ? fields.id : changes.id,
    extra: changes.extra === undefined ? fields.extra : changes.extra,
  };
}

/** Langflow's Message. Immutable; `with` returns a changed copy. */
export class Message {
  readonly fields: MessageFields;

  constructor(fields: Partial<MessageFields> & { readonly text: string });
  constructor(changes: Partial<MessageFields>, base: MessageFields);
  constructor(fields: Partial<MessageFields>, base: MessageFields = defaults) {
    this.fields = changed(base, fields);
  }

  get text(): string {
    return this.fields.text;
  }

  with(changes: Partial<MessageFields>): Message {
    return new Message(changes, this.fields);
  }
}
