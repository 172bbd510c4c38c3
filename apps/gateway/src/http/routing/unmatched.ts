import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { HttpError } from '@millrace/http';
import type { ConsoleFiles } from '../../console/console-files';
import { EDITOR_DETAIL, isEditorPath } from './editor-paths';
import type { Method } from './route';

/** Method and path of a route. */
export interface ServedPath {
  readonly method: Method;
  readonly path: string;
}

/**
 * Handles requests that match no route: 405 when the path has another method (`Allow` names the first one, as in
 * Starlette), 307 when only a trailing slash differs or the path has the former name of projects, folders, otherwise a file or the page of the web console, or 404.
 */
export function unmatched(
  routes: readonly ServedPath[],
  consoleFiles: Pick<ConsoleFiles, 'serve'> | null,
): RequestHandler {
  const served = routes.map(({ method, path }) => ({ method, segments: path.split('/') }));
  const find = (path: string) => {
    const segments = path.split('/');
    return served.find((route) => matches(route.segments, segments));
  };
  return (request, response) => {
    const { path } = request;
    const here = find(path);
    if (here) {
      throw new HttpError('method_not_allowed', 'Method Not Allowed', { headers: { allow: here.method } });
    }
    if (isEditorPath(path)) throw new HttpError('route_unknown', EDITOR_DETAIL);
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    if (other !== '' && !other.startsWith('//') && find(other)) {
      return redirect(response, other + search(request));
    }
    const project = path.replace(/^\/api\/v1\/folders\//, '/api/v1/projects/');
    if (project !== path && find(project)) return redirect(response, project + search(request));
    const refuse = () => {
      throw new HttpError('route_unknown', 'Not Found');
    };
    if (consoleFiles === null) return refuse();
    consoleFiles.serve(request, response, refuse);
  };
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(307, { location, 'content-length': 0 }).end();
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) =>
    part.startsWith(':') ? segments[index] !== '' : part === segments[index],
  );
}

function search({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start);
}
