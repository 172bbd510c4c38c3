import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { withDeadline } from '@millrace/service';
import type { GatewayDependencies } from './gateway-dependencies';
import { createParts } from './gateway-parts';
import type { GatewayParts } from './gateway-parts';
import { answerError } from './http/answer-error';
import { bodyPatience } from './http/body-patience';
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
  /** Begins to take replies, then requests. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>;
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
  const door = createWebhookDoor(dependencies.webhooks, dependencies.logger);
  let closing: Promise<void> | undefined;
  const app = createApp(dependencies, parts, door, () => closing !== undefined);
  const server = createServer(serverLimits, app);
  server.maxConnections = MAXIMUM_CONNECTIONS;
  const endSilentConnections = trackSilentConnections(server);
  const closeIdle = () => {
    server.closeIdleConnections();
    endSilentConnections();
  };
  return {
    app,
    server,
    async listen({ host, port }) {
      await parts.control.open();
      await parts.room.open();
      await parts.intake.open();
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
      return { port: (server.address() as AddressInfo).port };
    },
    close: () => (closing ??= close(dependencies, parts, { server, closeIdle, door })),
  };
}

function createApp(
  dependencies: GatewayDependencies,
  parts: GatewayParts,
  door: WebhookDoor,
  isClosing: () => boolean,
): Express {
  const { logger, settings } = dependencies;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.set('query parser', false);
  app.use(greet);
  app.use((_request, response, next) => {
    // Whoever keeps its connection would send its next request to a server that is gone.
    if (isClosing()) response.setHeader('connection', 'close');
    next();
  });
  app.use(bodyPatience({ ...patience, logger }));
  const routes = allRoutes(dependencies, parts);
  const serving = {
    authenticator: parts.authenticator,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
  };
  for (const route of routes) app[verb(route.method)](route.path, serveRoute(route, serving));
  app.post(webhookRoute.path, door.handle);
  app.use(unmatched([...routes, webhookRoute]));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    answerError(response, error, logger);
  });
  return app;
}

interface ClosingParts {
  readonly server: Server;
  readonly closeIdle: () => void;
  readonly door: WebhookDoor;
}

async function close(
  { logger, settings }: GatewayDependencies,
  parts: GatewayParts,
  { server, closeIdle, door }: ClosingParts,
): Promise<void> {
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
}

function verb(method: Method): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
