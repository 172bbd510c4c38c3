const NEWLINE = 0x0a;
const BLANK_LINE = Buffer.from('\n');

/** How the events of a stream are written, each of which is a JSON object on a line of its own. */
export interface EventFraming {
  frame(lines: Buffer): Buffer;
  /** What is sent when nothing happens, so that nobody between takes the connection for dead; null for nothing. */
  readonly keepAlive: string | null;
}

/** As Langflow's clients parse them: the object and a blank line. */
export const jsonFraming: EventFraming = { frame: withBlankLines, keepAlive: null };

/** Server-sent events as browsers and proxies know them: numbered from 1, with the event's name and its data. */
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

/** Whether an Accept header names event streams, which those who take anything do not. */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept
    .split(',')
    .some((range) => /^text\/event-stream(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(range.trim()));
}

/** Executors write every event as `{"event": …, "data": …}`; what is no such line stays whole. */
function fields(line: string): string {
  const [, event, data] = /^\{"event": "(\w+)", "data": (.*)\}$/.exec(line) ?? [];
  return event === undefined ? `data: ${line}` : `event: ${event}\ndata: ${data}`;
}

/** Lines to events: each line end becomes a blank line. */
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
