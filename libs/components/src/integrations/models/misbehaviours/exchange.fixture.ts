import type { ServerResponse } from 'node:http';
import type { Wire } from './wires.fixture';

/** One answer of a server that misbehaves. */
export interface Exchange {
  readonly response: ServerResponse;
  readonly method: string;
  /** How often the server was asked before. */
  readonly asked: number;
  readonly wire: Wire;
  readonly streams: boolean;
  /** The path below which the server answers this fault, and where it answers as it should. */
  readonly path: string;
}

/** How a call ends: with the answer, or with an error that has these words. */
export interface End {
  readonly says?: RegExp;
  /** Whether another attempt of the run can succeed. */
  readonly permanent?: boolean;
  /** The status that the error has for callers of the client. */
  readonly status?: number;
  /** Whether the client asks a second time. */
  readonly retries?: boolean;
}

export interface Misbehaviour {
  readonly name: string;
  readonly answer: (exchange: Exchange) => void;
  /** Whether such answers of a provider can have the fault; all can without it. */
  readonly isPossible?: (wire: Wire, streams: boolean) => boolean;
  readonly whole: End;
  /** The end of a streamed call, when it is not that of a whole one. */
  readonly streamed?: End;
  /** The limit of a try, for a server that never answers. */
  readonly timeoutMilliseconds?: number;
}

/** The right answer. */
export const text = 'Grüße aus der Mühle';
export const pieces = ['Grü', 'ße aus', ' der Mühle'];

export const json = { 'content-type': 'application/json' };
/** Keeps the pause before a retry short. */
export const soon = { 'retry-after-ms': '1' };

export function send(
  { response }: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  response.writeHead(status, { ...soon, ...headers }).end(body);
}

export function bodyOf({ wire, streams }: Exchange): Buffer {
  return streams
    ? Buffer.concat([...wire.pieces(pieces), ...wire.end])
    : Buffer.from(JSON.stringify(wire.whole(text)));
}

/** A part of an answer, with text but without its end. */
export function beginningOf(exchange: Exchange): Buffer {
  return exchange.streams ? Buffer.concat(exchange.wire.pieces(pieces)) : bodyOf(exchange).subarray(0, -4);
}

export function typeOf({ wire, streams }: Exchange): string {
  return streams ? (wire.streamType ?? '') : json['content-type'];
}

/** Answers as a provider should. */
export function answerRight(exchange: Exchange): void {
  send(exchange, 200, { 'content-type': typeOf(exchange) }, bodyOf(exchange));
}

/** Sends the parts of a stream that the test names; `ends` closes it. */
export function sendParts({ response, wire }: Exchange, parts: readonly Buffer[], ends = true): void {
  response.writeHead(200, { ...soon, 'content-type': wire.streamType ?? '' });
  for (const part of parts) response.write(part);
  if (ends) response.end();
}

export const answered: End = {};

/** Answers with a status and a body. */
export const refusal = (
  name: string,
  status: number,
  body: (wire: Wire) => string,
  end: End,
  headers: Readonly<Record<string, string>> = json,
): Misbehaviour => ({
  name,
  answer: (exchange) => send(exchange, status, headers, body(exchange.wire)),
  whole: { status, ...end },
});

/** Answers with a success status and a body that is no answer. */
export const inPlaceOfAnswer = (
  name: string,
  body: (wire: Wire) => string,
  end: End,
  headers: Readonly<Record<string, string>> = json,
): Misbehaviour => refusal(name, 200, body, { permanent: false, ...end }, headers);

/** Misbehaves in streams alone. */
export const inStream = (
  name: string,
  answer: Misbehaviour['answer'],
  end: End,
  isPossible: NonNullable<Misbehaviour['isPossible']> = () => true,
): Misbehaviour => ({
  name,
  answer,
  isPossible: (wire, streams) => streams && isPossible(wire, streams),
  whole: end,
});
