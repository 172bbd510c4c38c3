import type { Handle } from './handle';
import type { MessageProperties, TextStream } from './message-properties';
import type { PythonFloat } from './python-float';
import { checkCells } from './table-size';

/**
 * A value in a component. Most of Python's values are plain JavaScript values; those that JavaScript cannot distinguish
 * have a class or type: a float with an integral value (`1.0`) is a {@link PythonFloat}, an integer beyond 2^53 a
 * bigint. A number is an integer when `Number.isInteger`, else a float. The classes of this file contain such values in turn.
 */
export type PythonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PythonFloat
  | Message
  | Data
  | DataFrame
  | Handle
  | readonly PythonValue[]
  | PythonObject;

/** A Python dict with string keys, in insertion order. */
export interface PythonObject {
  readonly [key: string]: PythonValue;
}

/** Langflow's Data (JSON): an object with a key for its text. */
export class Data {
  readonly data: PythonObject;
  readonly textKey: string;
  readonly defaultValue: string | null;

  constructor(
    data: PythonObject = {},
    options: { readonly textKey?: string; readonly defaultValue?: string | null } = {},
  ) {
    this.data = data;
    this.textKey = options.textKey ?? 'text';
    this.defaultValue = options.defaultValue === undefined ? '' : options.defaultValue;
  }

  /** Returns the value under the text key, or the default. */
  get text(): PythonValue {
    return Object.hasOwn(this.data, this.textKey)
      ? (this.data[this.textKey] ?? this.defaultValue)
      : this.defaultValue;
  }

  toJSON(): unknown {
    return this.data;
  }
}

/** Langflow's DataFrame (Table): rows of named columns. A cell that a row lacks is missing (NaN). */
export class DataFrame {
  /** Union of the rows' keys, in the order of first occurrence. */
  readonly columns: readonly string[];
  readonly rows: readonly PythonObject[];

  /** Throws a RangeError for more than four million cells, with those that rows lack. */
  constructor(rows: readonly PythonObject[], columns?: readonly string[]) {
    this.rows = rows;
    this.columns = columns ?? [...keysOf(rows)];
    checkCells(this.columns.length, rows.length);
  }

  toJSON(): unknown {
    return this.rows;
  }
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

function keysOf(rows: readonly PythonObject[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return keys;
}
