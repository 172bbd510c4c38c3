import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/**
 * Answers with a page of HTML that holds its style and nothing else that a browser may load, run or send: the hash is all
 * that it may apply.
 */
export function sendPage(
  response: ServerResponse,
  html: string,
  { style }: { readonly style: string },
): void {
  const hash = createHash('sha256').update(style).digest('base64');
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
  });
  response.end(html);
}
