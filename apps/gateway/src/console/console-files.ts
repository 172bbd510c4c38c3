import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';

/** The console loads its own files alone, and runs no script of a page. Scripts can set styles of elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');
/** Paths that browsers do not open as pages of the console. */
const OTHER_PATHS = /^\/(?:api|assets|v1)(?:\/|$)/;

/** Serves the files of the built web console. */
export interface ConsoleFiles {
  /** Answers with the console's page. */
  sendPage(request: IncomingMessage, response: ServerResponse): void;
  /** Answers a request that no route matches with a file or the page; calls `next` for any other request. */
  serve(request: IncomingMessage, response: ServerResponse, next: () => void): void;
}

/** Returns the folder of the built console, beside the bundle of the program or in the workspace; null without one. */
export function findConsole(): string | null {
  const candidates = [join(__dirname, '../console'), join(__dirname, '../../../../dist/apps/console')];
  return candidates.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Reads the console's page, and serves the other files of its folder. Files of `assets/` have a hash in their names. */
export function openConsoleFiles(folder: string): ConsoleFiles {
  const page = readFileSync(join(folder, 'index.html'));
  const serveFile = sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders(response, path) {
      secure(response);
      response.setHeader(
        'cache-control',
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  const sendPage = (request: IncomingMessage, response: ServerResponse) => {
    secure(response);
    response.appendHeader('vary', 'Accept');
    response.writeHead(200, {
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
      'content-length': page.length,
    });
    response.end(request.method === 'HEAD' ? undefined : page);
  };
  return {
    sendPage,
    serve(request, response, next) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return next();
      ignoreRange(request);
      serveFile(request, response, () => {
        const path = request.url?.split('?', 1)[0] ?? '';
        if (acceptsHtml(request) && !OTHER_PATHS.test(path)) sendPage(request, response);
        else next();
      });
    },
  };
}

/** Returns whether a browser asks for a page. */
export function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/** Lets files be sent whole: sirv fails at a range such as `bytes=5-2`, and misreads `bytes=-5`. */
export function ignoreRange({ headers }: IncomingMessage): void {
  delete headers.range;
}

function secure(response: ServerResponse): void {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('referrer-policy', 'no-referrer');
}
