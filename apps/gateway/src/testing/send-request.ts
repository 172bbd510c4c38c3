import { Agent, request as open } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface SentRequest {
  readonly method: string;
  /** Path and query, sent unchanged. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
/** A stream that is idle for this long is closed, since some streams have no end. */
const QUIET_MILLISECONDS = 100;

/** Sends requests that `fetch` would normalize or refuse. Rejects when the answer does not end in time. */
export function sendRequest(
  url: string,
  { method, path, headers, body }: SentRequest,
  deadlineMilliseconds: number,
): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const late = () => sent.destroy(new Error(`no answer within ${deadlineMilliseconds} ms`));
    const timer = setTimeout(late, deadlineMilliseconds);
    const sent = open({ hostname, port, agent, method, path, headers: { ...headers, ...lengthOf(body) } });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    sent.on('error', (error) => end(() => reject(error)));
    sent.on('response', (answer) => {
      read(answer).then(
        (text) => end(() => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })),
        (error: unknown) => end(() => reject(error as Error)),
      );
    });
    sent.end(body ?? undefined);
  });
}

export function closeConnections(): void {
  agent.destroy();
}

function read(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const settle = () => resolve(Buffer.concat(parts).toString());
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
    const leave = () => {
      settle();
      answer.destroy();
    };
    let quiet = isStream ? setTimeout(leave, QUIET_MILLISECONDS) : undefined;
    answer.on('data', (part: Buffer) => {
      parts.push(part);
      clearTimeout(quiet);
      if (isStream) quiet = setTimeout(leave, QUIET_MILLISECONDS);
    });
    answer.on('end', () => {
      clearTimeout(quiet);
      settle();
    });
    answer.on('error', reject);
  });
}

function lengthOf(body: Buffer | null): Record<string, string> {
  return body === null ? {} : { 'content-length': String(body.length) };
}
