import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { BodyBudget, originForm, ReservedPort, withDeadline } from '@millrace/service';
import type { GatewayDependencies } from './gateway-dependencies';
import { createParts } from './gateway-parts';
import type { GatewayParts } from './gateway-parts';
import { answerError } from './http/answer-error';
import { watchBody } from './http/body-patience';
import { directRoutes } from './http/direct-routes';
import type { DirectRoutesOptions } from './http/direct-routes';
import { greet } from './http/greet';
import type { Method } from './http/route';
import { serveRoute } from './http/serve-route';
import { trackSilentConnections } from './http/silent-connections';
import { unmatched } from './http/unmatched';
import { allRoutes } from './routes/all-routes';
import { createWebhookDoor } from './routes/webhook-door';
import type { WebhookDoor } from './routes/webhook-door';
import { webhookRoute } from './routes/webhook-route';

export interface Gateway {
  readonly app: Express;
  readonly server: Server;
  /** Begins to take replies. Requests come by the server's 'connection' event from then on, or by `listen`. */
  open(): Promise<void>;
  /** Opens, then takes requests at an address, or at a port that was reserved. */
  listen(
    place: ReservedPort | { readonly host: string; readonly port: number },
  ): Promise<{ readonly port: number }>;
  /** Stops taking requests, lets those in hand end, then what they left behind. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Senders that drip their bytes are cut off: a header must come within 5 s, a body within 10 s, an upload within an
 * hour and at a decent pace. The other limits bound what one peer can hold open.
 */
const serverLimits = {
  headersTimeout: 5_000,
  requestTimeout: 3_600_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};
const patience = { bodyMilliseconds: 10_000, uploadPace: { milliseconds: 30_000, bytes: 30_720 } };
const MAXIMUM_CONNECTIONS = 20_000;
const IDLE_CHECK_MILLISECONDS = 100;
/** For the answers of runs that were cut off by the end of the shutdown time. */
const LAST_WORDS_MILLISECONDS = 500;

/** The HTTP interface: authenticates, validates, routes, and waits for the runs it sends out. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const parts = createParts(dependencies);
  const door = createWebhookDoor(dependencies.webhooks, parts.requests);
  let closing: Promise<void> | undefined;
  const arrive = arrivals(dependencies, parts);
  const fail = (response: ServerResponse, error: unknown) => answerError(response, error, parts.requests);
  const { settings } = dependencies;
  const { authenticator } = parts;
  const bodies =
    dependencies.bodies ?? new BodyBudget({ maximumBytes: settings.MILLRACE_MAXIMUM_BODIES_BYTES });
  const serving = {
    authenticator,
    bodies,
    releasesSentBodies: dependencies.bodies === undefined,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
    maximumBodyMembers: settings.MILLRACE_MAXIMUM_BODY_MEMBERS,
    maximumFlowMembers: settings.MILLRACE_MAXIMUM_FLOW_MEMBERS,
  };
  const routes = allRoutes(dependencies, parts).map((route) => ({
    ...route,
    handle: serveRoute(route, serving),
  }));
  const app = createApp({ routes, door, arrive, fail });
  const direct = directRoutes({
    routes: [...routes.filter(({ isDirect }) => isDirect), { ...webhookRoute, handle: door.handle }],
    arrive,
    fail,
  });
  const server = createServer(serverLimits, (request, response) => {
    request.url = originForm(request.url ?? '');
    if (!direct(request, response)) app(request, response);
  });
  server.maxConnections = MAXIMUM_CONNECTIONS;
  const endSilentConnections = trackSilentConnections(server);
  const closeIdle = () => {
    server.closeIdleConnections();
    endSilentConnections();
  };
  const open = async () => {
    await parts.control.open();
    await parts.room.open();
    await parts.intake.open();
  };
  return {
    app,
    server,
    open,
    async listen(place) {
      await open();
      if (place instanceof ReservedPort) await place.handOver(server);
      else await listenAt(server, place);
      return { port: (server.address() as AddressInfo).port };
    },
    close: () => (closing ??= close(dependencies, parts, { server, closeIdle, door })),
  };
}

function listenAt(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
}

/** What every request meets first; the result is false when it has been answered there. */
function arrivals({ health }: Pick<GatewayDependencies, 'health'>, { requests }: GatewayParts) {
  const options = { ...patience, log: requests };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!greet(request, response)) return false;
    // Whoever keeps its connection would send its next request to a server that is gone.
    if (health.isShuttingDown) response.setHeader('connection', 'close');
    watchBody(request, response, options);
    return true;
  };
}

interface Serving extends Pick<DirectRoutesOptions, 'routes' | 'arrive' | 'fail'> {
  readonly door: WebhookDoor;
}

function createApp({ routes, door, arrive, fail }: Serving): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.set('query parser', false);
  app.use((request, response, next) => {
    if (arrive(request, response)) next();
  });
  for (const { method, path, handle } of routes) app[verb(method)](path, handle);
  app.post(webhookRoute.path, door.handle);
  app.use(unmatched([...routes, webhookRoute]));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    fail(response, error),
  );
  return app;
}

interface ClosingParts {
  readonly server: Server;
  readonly closeIdle: () => void;
  readonly door: WebhookDoor;
}

async function close(
  { logger, settings, health }: GatewayDependencies,
  parts: GatewayParts,
  { server, closeIdle, door }: ClosingParts,
): Promise<void> {
  health.beginShutdown();
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
  parts.followed.close();
  parts.watch.end();
  // A connection that is kept alive becomes idle only when its request in hand has been answered.
  const idle = setInterval(closeIdle, IDLE_CHECK_MILLISECONDS);
  await withDeadline(stopped, settings.MILLRACE_SHUTDOWN_SECONDS * 1000, 'requests were still in hand').catch(
    (error: unknown) => logger.warn({ error, waiting: parts.room.size }, 'requests in hand are cut off'),
  );
  await parts.room.close();
  await withDeadline(stopped, LAST_WORDS_MILLISECONDS, 'answers were still on their way').catch(
    (error: unknown) => logger.debug({ error }, 'connections are cut off'),
  );
  clearInterval(idle);
  server.closeAllConnections();
  parts.keeper.close();
  door.close();
  await parts.intake.close();
  await parts.watch.close();
  await parts.control.close();
  await parts.usage.close();
  parts.requests.close();
  parts.failedRuns.close();
}

function verb(method: Method): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
