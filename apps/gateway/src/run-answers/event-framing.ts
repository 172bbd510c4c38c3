const NEWLINE = 0x0a;
const BLANK_LINE = Buffer.from('\n');

/** Frames the events of a stream. The input has one JSON object on each line. */
export interface EventFraming {
  frame(lines: Buffer): Buffer;
  /** Sent on an idle stream, so that proxies keep the connection open; null for nothing. */
  readonly keepAlive: string | null;
}

/** The framing that Langflow's clients parse: the object and a blank line. */
export const jsonFraming: EventFraming = { frame: withBlankLines, keepAlive: null };

/** Returns the framing of standard server-sent events, numbered from 1, with the event's name and its data. */
export function serverSentFraming(): EventFraming {
  let id = 0;
  return {
    keepAlive: ': keep-alive\n\n',
    frame(lines) {
      const events = lines.toString().split('\n');
      const framed = events.filter((line) => line !== '').map((line) => `id: ${++id}\n${fields(line)}\n\n`);
      return Buffer.from(framed.join(''));
    },
  };
}

/** Returns whether an Accept header names event streams explicitly. A wildcard does not count. */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept
    .split(',')
    .some((range) => /^text\/event-stream(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(range.trim()));
}

/** Splits an event of the form `{"event": …, "data": …}`, as executors write it. Any other line becomes the data. */
function fields(line: string): string {
  const [, event, data] = /^\{"event": "(\w+)", "data": (.*)\}$/.exec(line) ?? [];
  return event === undefined ? `data: ${line}` : `event: ${event}\ndata: ${data}`;
}

/** Turns lines into events: each line end becomes a blank line. */
function withBlankLines(lines: Buffer): Buffer {
  const first = lines.indexOf(NEWLINE);
  if (first === lines.length - 1) return Buffer.concat([lines, BLANK_LINE]);
  const parts: Buffer[] = [];
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf(NEWLINE, start);
    const end = found < 0 ? lines.length : found;
    if (end > start) parts.push(lines.subarray(start, end), BLANK_LINE, BLANK_LINE);
    start = end + 1;
  }
  return Buffer.concat(parts);
}
