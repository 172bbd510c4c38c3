import type { IncomingMessage, ServerResponse } from 'node:http';
import { nameActiveRoute } from '@millrace/service';
import type { Method } from './route';
import type { RouteHandler } from './serve-route';

/** A route whose path is a fixed beginning and one parameter, and what answers it. */
export interface DirectRoute {
  readonly method: Method;
  /** `/…/:name` */
  readonly path: string;
  readonly handle: RouteHandler;
}

export interface DirectRoutesOptions {
  readonly routes: readonly DirectRoute[];
  /** What every request meets first; false when it has been answered there. */
  readonly arrive: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly fail: (response: ServerResponse, error: unknown) => void;
}

/** A parameter that stands for itself. Whatever would have to be decoded is left to Express. */
const PLAIN = /^[\w.-]+$/;

/**
 * Serves the routes that are called most ahead of Express, which costs more than all the rest of reading a request and
 * answering it. False for every other request, also one of these routes that is spelled unusually: Express serves them
 * all.
 */
export function directRoutes({ routes, arrive, fail }: DirectRoutesOptions) {
  const byPlace = new Map(routes.map((route) => [placeOf(route), route]));
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '' } = request;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const end = path.lastIndexOf('/');
    const value = path.slice(end + 1);
    const route = byPlace.get(`${request.method} ${path.slice(0, end)}`);
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
      if (!arrive(request, response)) return;
      await handle(Object.assign(request, { params: { [nameOf(path)]: value } }), response);
    } catch (error) {
      fail(response, error);
    }
  }
}

function placeOf({ method, path }: DirectRoute): string {
  return `${method} ${path.slice(0, path.lastIndexOf('/:'))}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(':') + 1);
}
