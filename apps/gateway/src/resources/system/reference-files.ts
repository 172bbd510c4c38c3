import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../../http/answers/send-json';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from './documentation-page';

const compress = promisify(gzip);
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

interface ReferenceFile {
  readonly type: string;
  readonly read: () => Promise<Buffer>;
}

const files: ReadonlyMap<string, ReferenceFile> = new Map([
  ['/docs/reference.js', { type: SCRIPT, read: async () => Buffer.from(REFERENCE_SCRIPT) }],
  ['/docs/reference.css', { type: STYLE, read: async () => Buffer.from(REFERENCE_STYLE) }],
  ['/docs/swagger-ui-bundle.js', { type: SCRIPT, read: () => packageFile('swagger-ui-bundle.js') }],
  ['/docs/swagger-ui.css', { type: STYLE, read: () => packageFile('swagger-ui.css') }],
]);

/** Serves the scripts and styles of the API reference, compressed once. Calls `next` for any other request. */
export function referenceFiles() {
  const compressed = new Map<ReferenceFile, Promise<Buffer>>();
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const file = request.method === 'GET' || request.method === 'HEAD' ? files.get(path) : undefined;
    if (file === undefined) return next();
    send(request, response, file, compressed).catch(next);
  };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  file: ReferenceFile,
  compressed: Map<ReferenceFile, Promise<Buffer>>,
): Promise<void> {
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  let bytes: Buffer;
  if (takesGzip) {
    const packed = compressed.get(file) ?? file.read().then((plain) => compress(plain));
    compressed.set(file, packed);
    bytes = await packed;
  } else bytes = await file.read();
  response.appendHeader('vary', 'Accept-Encoding');
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': bytes.length,
    // The address has the version of the program.
    'cache-control': 'public, max-age=86400',
    ...(takesGzip ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function packageFile(name: string): Promise<Buffer> {
  return readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name));
}
