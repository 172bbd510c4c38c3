import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export interface PageOptions {
  readonly style: string;
  /** 200 unless given. */
  readonly status?: number;
  /** Whether the page has a form that is sent to the gateway; false by default. */
  readonly hasForm?: boolean;
}

/**
 * Answers with an HTML page. Its content security policy allows the page's style by hash, and nothing else that a
 * browser could load, run or send; its form, if it has one, goes to the gateway.
 */
export function sendPage(
  response: ServerResponse,
  html: string,
  { style, status = 200, hasForm = false }: PageOptions,
): void {
  const hash = createHash('sha256').update(style).digest('base64');
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}; frame-ancestors 'none'`,
  );
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
  });
  response.end(html);
}
