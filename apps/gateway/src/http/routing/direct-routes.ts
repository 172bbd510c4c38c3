import type { IncomingMessage, ServerResponse } from 'node:http';
import { nameActiveRoute } from '@millrace/service';
import type { Method } from './route';
import type { RouteHandler } from './serve-route';

/** A route whose path is a fixed prefix and one parameter, and its handler. */
export interface DirectRoute {
  readonly method: Method;
  /** `/…/:name` */
  readonly path: string;
  readonly handle: RouteHandler;
}

export interface DirectRoutesOptions {
  readonly routes: readonly DirectRoute[];
  /** Handles every request first; false when it has answered the request. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly fail: (response: ServerResponse, error: unknown) => void;
}

/** A parameter that needs no decoding. All others are served by Express. */
const PLAIN = /^[\w.-]+$/;

/**
 * Serves the most frequently called routes without Express, which costs more than the rest of reading and answering a
 * request. Returns false for every other request, including unusual spellings of these routes. Express serves them all.
 */
export function directRoutes({ routes, onRequest, fail }: DirectRoutesOptions) {
  const byKey = new Map(routes.map((route) => [keyOf(route), route]));
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '' } = request;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const end = path.lastIndexOf('/');
    const value = path.slice(end + 1);
    const route = byKey.get(`${request.method} ${path.slice(0, end)}`);
    if (route === undefined || !PLAIN.test(value)) return false;
    void serve(route, value, request, response);
    return true;
  };

  async function serve(
    { path, method, handle }: DirectRoute,
    value: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      nameActiveRoute(method, path);
      if (!onRequest(request, response)) return;
      await handle(Object.assign(request, { params: { [nameOf(path)]: value } }), response);
    } catch (error) {
      fail(response, error);
    }
  }
}

function keyOf({ method, path }: DirectRoute): string {
  return `${method} ${path.slice(0, path.lastIndexOf('/:'))}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(':') + 1);
}
