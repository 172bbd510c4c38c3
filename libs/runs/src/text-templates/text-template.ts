import { createHash } from 'node:crypto';
import { parseTree } from './parse-tree';
import type { ArrayNode, Node, ObjectNode, TextNode } from './parse-tree';

/**
 * The shape of a JSON text: its constant parts, and holes between them. It contains names of the interface only, no value of a
 * flow or a caller, so that nothing has to be erased from it.
 */
export interface TextTemplate {
  /** Of parts and holes, in 8 characters. */
  readonly digest: string;
  readonly parts: readonly string[];
  /** For each part what follows it: a value by its number from 1, a column of the row (see RowValues), or nothing (0). */
  readonly holes: readonly number[];
}

/** Values that a row holds in other columns. A null one is never referred to. */
export interface RowValues {
  readonly runId: string | null;
  readonly flowId: string | null;
  readonly sessionId: string | null;
}

const NOTHING = 0;
const RUN_ID = -1;
const FLOW_ID = -2;
const SESSION_ID = -3;

/** How a text begins that consists of a template's digest and values. JSON does not begin so. */
export const CODED = '~';
const SEPARATOR = '\n';

/** An equal value from this length is stored once. Shorter ones are equal by chance too often. */
const MINIMUM_SHARED_LENGTH = 4;
const MAXIMUM_ITEMS = 8;
const MAXIMUM_NAMES = 16;
/** A session id that JSON writes as it is. */
const PLAIN = /^[\w.:-]+$/;

/** Members of answers, requests and messages. An object with another member is one value. */
const NAMES = new Set(
  `session_id outputs inputs input_value type components results artifacts logs messages timedelta duration
  component_display_name component_id used_frozen_result token_usage text_key data default_value timestamp sender
  sender_name context_id text files error edit properties text_color background_color edited source id display_name icon
  allow_markdown positive_feedback state targets usage build_duration category content_blocks session_metadata
  graph_run_id flow_id run_id inputValue by calls inputTokens outputTokens cost unpricedCalls
  models provider model message stream_url input_tokens output_tokens total_tokens form tweaks stream vertexEvents
  sessionId globalVariables webhookPayload keyId contentBlocks sessionMetadata`.split(/\s+/),
);

/** Texts of the interface. Any other text is a value. */
const WORDS = new Set(
  'User Machine AI message text object data array complete partial chat any debug simple advanced webhook'.split(
    ' ',
  ),
);

/** Lists whose items have a shape of their own. Any other list is one value unless it is empty. */
const LISTS = new Set(['/outputs', '/outputs/outputs', '/outputs/outputs/messages', '/inputs', '/models']);

/** Objects whose names come from a flow. */
const NAMED_BY_FLOW = new Set([
  '/outputs/outputs/results',
  '/outputs/outputs/outputs',
  '/outputs/outputs/logs',
]);

/** Returns the template of a JSON text without blanks; null when it has none. */
export function deriveTemplate(text: string, row: RowValues): TextTemplate | null {
  const root = text.includes(SEPARATOR) ? null : parseTree(text);
  if (root === null) return null;
  const writer = new TemplateWriter(text, row);
  writer.value(root, '');
  return writer.template();
}

/** Collects the parts and holes of a template. */
class TemplateWriter {
  readonly #text: string;
  readonly #numbers = new Map<string, number>();
  readonly #parts: string[] = [];
  readonly #holes: number[] = [];
  #part = '';
  #count = 0;

  constructor(text: string, { runId, flowId, sessionId }: RowValues) {
    this.#text = text;
    // The first of equal ones counts.
    if (sessionId !== null && PLAIN.test(sessionId)) this.#numbers.set(sessionId, SESSION_ID);
    if (flowId !== null) this.#numbers.set(flowId, FLOW_ID);
    if (runId !== null) this.#numbers.set(runId, RUN_ID);
  }

  template(): TextTemplate {
    const parts = [...this.#parts, this.#part];
    const holes = [...this.#holes, NOTHING];
    const hash = createHash('sha256').update(JSON.stringify([parts, holes]));
    return { digest: hash.digest('base64url').slice(0, 8), parts, holes };
  }

  value(node: Node, path: string): void {
    if (node.kind === 'object') this.#writeObject(node, path);
    else if (node.kind === 'array') this.#writeList(node, path);
    else if (node.kind === 'text') this.#writeText(node);
    else this.#writeOther(node);
  }

  #writeText({ start, end }: TextNode): void {
    const content = this.#text.slice(start + 1, end - 1);
    if (content === '' || WORDS.has(content)) this.#part += `"${content}"`;
    else this.#quoted(content);
  }

  /** A number is a value; true, false and null belong to the shape. */
  #writeOther({ start, end }: Node): void {
    const raw = this.#text.slice(start, end);
    if (raw === 'true' || raw === 'false' || raw === 'null') this.#part += raw;
    else this.#hole(raw);
  }

  #writeObject(node: ObjectNode, path: string): void {
    const names = node.members.map(({ name }) => this.#text.slice(name.start + 1, name.end - 1));
    const isNamedByFlow = NAMED_BY_FLOW.has(path) && names.length <= MAXIMUM_NAMES;
    if (!isNamedByFlow && !names.every((name) => NAMES.has(name))) {
      this.#hole(this.#text.slice(node.start, node.end));
      return;
    }
    node.members.forEach(({ value }, index) => {
      const name = names[index] ?? '';
      this.#part += index === 0 ? '{' : ',';
      if (NAMES.has(name)) this.#part += `"${name}"`;
      else this.#quoted(name);
      this.#part += ':';
      this.value(value, isNamedByFlow ? `${path}/*` : `${path}/${name}`);
    });
    this.#part += node.members.length === 0 ? '{}' : '}';
  }

  #writeList(node: ArrayNode, path: string): void {
    const { items } = node;
    if (items.length > 0 && (!LISTS.has(path) || items.length > MAXIMUM_ITEMS)) {
      this.#hole(this.#text.slice(node.start, node.end));
      return;
    }
    this.#part += '[';
    items.forEach((item, index) => {
      if (index > 0) this.#part += ',';
      this.value(item, path);
    });
    this.#part += ']';
  }

  #quoted(content: string): void {
    this.#part += '"';
    this.#hole(content);
    this.#part += '"';
  }

  #hole(raw: string): void {
    this.#parts.push(this.#part);
    this.#part = '';
    const known = this.#numbers.get(raw);
    this.#holes.push(known ?? (this.#count += 1));
    if (known === undefined && raw.length >= MINIMUM_SHARED_LENGTH) this.#numbers.set(raw, this.#count);
  }
}

/**
 * Returns the text as digest and values; null when the template, with any values, does not give exactly this text, or when that
 * is not shorter.
 */
export function encodeText(
  { digest, parts, holes }: TextTemplate,
  text: string,
  row: RowValues,
): string | null {
  if (text.includes(SEPARATOR)) return null;
  // A hole's number is the place of its value.
  const coded = [CODED + digest];
  let at = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    if (!text.startsWith(part, at)) return null;
    at += part.length;
    const hole = holes[index] ?? NOTHING;
    if (hole === NOTHING) break;
    const known = hole < 0 ? columnOf(row, hole) : coded[hole];
    if (known === undefined) {
      const next = parts[index + 1] ?? '';
      // The last part ends the text; its characters can also occur within the value before it.
      const end = index === parts.length - 2 ? text.length - next.length : text.indexOf(next, at);
      if (end < at) return null;
      coded.push(text.slice(at, end));
      at = end;
    } else {
      // Not startsWith, which compares long texts one character after the other.
      if (known === null || text.slice(at, at + known.length) !== known) return null;
      at += known.length;
    }
  }
  if (at !== text.length) return null;
  const joined = coded.join(SEPARATOR);
  return joined.length < text.length ? joined : null;
}

function columnOf({ runId, flowId, sessionId }: RowValues, hole: number): string | null {
  if (hole === RUN_ID) return runId;
  if (hole === FLOW_ID) return flowId;
  return sessionId !== null && PLAIN.test(sessionId) ? sessionId : null;
}
