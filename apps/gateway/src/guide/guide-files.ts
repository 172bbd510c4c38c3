import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import { acceptsHtml, ignoreRange } from '../console/console-files';

const BASE = '/guide';
/** The pages load their own files alone. Scripts can set styles of elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>The guide is not built</title>
<h1>The guide is not built</h1>
<p>In a checkout, <code>npm run build -- --site</code> builds it, with the packages of development; then start the server again.
The npm package and the image contain it.</p>
<p>The same as files: the folder <code>docs</code>, <a href="/openapi.json">/openapi.json</a> and
<a href="/asyncapi.json">/asyncapi.json</a>.</p>
</html>
`;

type Serve = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Returns the folder of the built guide, beside the bundle of the program or in the workspace; null without one. */
function findGuide(): string | null {
  const candidates = [join(__dirname, '../guide'), join(__dirname, '../../../../dist/apps/guide')];
  return candidates.find((folder) => existsSync(join(folder, '404.html'))) ?? null;
}

/**
 * Serves the guide below /guide: the documentation and the API reference. Without a built one, browsers get a page that says how to
 * build it. Calls `next` for any other request. The folder is found, unless it is given, and read at the first request.
 */
export function guideFiles(folder?: string | null): Serve {
  let serve: Serve | undefined;
  return (request, response, next) => {
    const { method, url = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const isOwn = path === BASE || path.startsWith(`${BASE}/`);
    if (!isOwn || (method !== 'GET' && method !== 'HEAD')) return next();
    if (path === BASE) {
      response.writeHead(307, { location: 'guide/', 'content-length': 0 }).end();
      return;
    }
    serve ??= openGuide(folder === undefined ? findGuide() : folder);
    // Files have their paths below the folder.
    request.url = url.slice(BASE.length);
    serve(request, response, (error) => {
      request.url = url;
      next(error);
    });
  };
}

function openGuide(folder: string | null): Serve {
  const missing = folder === null ? Buffer.from(NOT_BUILT) : readFileSync(join(folder, '404.html'));
  const refuse: Serve = (request, response, next) => {
    if (!acceptsHtml(request)) return next();
    secure(response);
    response.writeHead(404, {
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
      'content-length': missing.length,
    });
    response.end(request.method === 'HEAD' ? undefined : missing);
  };
  if (folder === null) return refuse;
  const serveFile = sirv(folder, {
    gzip: true,
    etag: true,
    extensions: ['html'],
    setHeaders(response, path) {
      // Files of `assets` have a hash in their names.
      const isKept = path.startsWith('/assets/');
      response.setHeader('cache-control', isKept ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  return (request, response, next) => {
    ignoreRange(request);
    const policy = response.getHeader('content-security-policy');
    // A 304 has it too, because browsers put its headers in the place of those that they keep.
    secure(response);
    serveFile(request, response, () => {
      if (policy !== undefined) response.setHeader('content-security-policy', policy);
      refuse(request, response, next);
    });
  };
}

function secure(response: ServerResponse): void {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('referrer-policy', 'no-referrer');
}
