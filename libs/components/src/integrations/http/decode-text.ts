import type { HttpAnswer } from './http-call';

const metaSearchBytes = 2048;

type Decoder = InstanceType<typeof TextDecoder>;

/** Decodes an answer with the charset of its byte order mark, header or HTML, otherwise as UTF-8 or else Latin 1. */
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
  const start = body.subarray(0, metaSearchBytes).toString('latin1');
  return charsetOf(/<meta[^>]+charset[^>]*>|<\?xml[^>]+encoding[^>]*>/i.exec(start)?.[0] ?? null);
}

/** Returns the decoder for the label after `charset=` or `encoding=`; null for a missing or unknown label. */
function charsetOf(text: string | null): Decoder | null {
  const label = /(?:charset|encoding)\s*=\s*["']?([\w:.-]+)/i.exec(text ?? '')?.[1];
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
