import type { HttpAnswer } from './http-call';

const searchedForMeta = 2048;

type Decoder = InstanceType<typeof TextDecoder>;

/** The text of an answer: in the charset of its byte order mark, its header or its HTML, else UTF-8, else Latin 1. */
export function decodeText({ headers, body }: Pick<HttpAnswer, 'headers' | 'body'>): string {
  const named = byteOrderMark(body) ?? charsetOf(headers.get('content-type')) ?? metaCharset(body);
  if (named !== null) return named.decode(body);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}

function byteOrderMark(body: Buffer): Decoder | null {
  if (body[0] === 0xfe && body[1] === 0xff) return new TextDecoder('utf-16be');
  if (body[0] === 0xff && body[1] === 0xfe) return new TextDecoder('utf-16le');
  return null;
}

function metaCharset(body: Buffer): Decoder | null {
  const start = body.subarray(0, searchedForMeta).toString('latin1');
  return charsetOf(/<meta[^>]+charset[^>]*>|<\?xml[^>]+encoding[^>]*>/i.exec(start)?.[0] ?? null);
}

/** The decoder for what follows `charset=` or `encoding=`; null where nothing or nothing known does. */
function charsetOf(text: string | null): Decoder | null {
  const label = /(?:charset|encoding)\s*=\s*["']?([\w:.-]+)/i.exec(text ?? '')?.[1];
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
