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

/** How a message is shown; all members always present, as clients get them. */
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

/** Text that is still being made, chunk by chunk. */
export interface TextStream extends AsyncIterable<string> {
  /** What making it cost, once it is read to its end and whoever makes it tells. */
  readonly usage?: MessageUsage | null;
  /** How its message ends up, once it is read to its end, where that is not just all of the text. */
  readonly ending?: TextEnding | null;
}

/** What a message says and shows in the end: an agent thinks aloud, and gives its answer last. */
export interface TextEnding {
  readonly text: string;
  readonly contentBlocks: readonly unknown[];
}

export interface MessageFields {
  readonly text: string;
  /** Text that is still being made; `text` is then what is known so far. */
  readonly stream: TextStream | null;
  readonly sender: string | null;
  readonly senderName: string | null;
  readonly files: readonly string[];
  readonly sessionId: string;
  /** Null only on the messages that report an error. */
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
  /** Set once the message is stored. */
  readonly id: string | null;
  /** Further keywords a component gave (Langflow keeps them in `.data`). */
  readonly extra: PythonObject;
}

/** What a message has unless told otherwise; shared by all of them, and never changed. */
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
 * The fields with some of them changed, always in the same order: written out, since spreading objects of many shapes
 * costs more than all else a quick component does.
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

/** Langflow's Message. Immutable; `with` makes a changed copy. */
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
