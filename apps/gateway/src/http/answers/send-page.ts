import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/**
 * Answers with an HTML page. Its content security policy allows the page's style by hash, and nothing else that a
 * browser could load, run or send.
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
