import type { ServerResponse } from 'node:http';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { BodyBudget, factsOf, HttpServer, originForm, serverLimits } from '@millrace/http';
import { fixedLimits, ReservedPort, withDeadline } from '@millrace/service';
import { limitsOf } from './gateway-dependencies';
import type { GatewayDependencies } from './gateway-dependencies';
import { controlHandlers, createParts } from './gateway-parts';
import type { ConsoleParts, GatewayParts } from './gateway-parts';
import { guideFiles } from './guide/guide-files';
import { answerError, toHttpError } from './http/answers/answer-error';
import { directRoutes } from './http/routing/direct-routes';
import type { DirectRoutesOptions } from './http/routing/direct-routes';
import { createRequestHook } from './http/request-hook';
import type { Method } from './http/routing/route';
import { serveRoute } from './http/routing/serve-route';
import { trackSilentConnections } from './http/silent-connections';
import { unmatched } from './http/routing/unmatched';
import { withoutInput } from './http/validation/without-input';
import { allRoutes, ingestRoutes } from './resources/all-routes';
import { createWebhookProxy } from './resources/webhooks/webhook-proxy';
import type { WebhookProxy } from './resources/webhooks/webhook-proxy';

export interface Gateway {
  readonly app: Express;
  readonly server: HttpServer;
  /** Starts to consume replies. Requests are then accepted by the server's 'connection' event, or after `listen`. */
  open(): Promise<void>;
  /** Opens the gateway, then accepts requests at an address or at a reserved port. */
  listen(
    address: ReservedPort | { readonly host: string; readonly port: number },
  ): Promise<{ readonly port: number }>;
  /** Stops accepting requests, waits for those in flight, then closes all parts. Can be called twice. */
  close(): Promise<void>;
}

/**
 * Slow senders are disconnected: a header must arrive within 5 s, a body within 10 s, an upload within an hour and at a
 * minimum rate. The other values limit the resources that one peer can occupy.
 */
const limits = { ...serverLimits, requestTimeout: 3_600_000, maxHeaderSize: 16_384 };
const MAXIMUM_CONNECTIONS = 20_000;
const IDLE_CHECK_MILLISECONDS = 100;
/** Time to send the answers of runs that were ended at the shutdown deadline. */
const FINAL_ANSWERS_MILLISECONDS = 500;

/** Creates the HTTP interface: authenticates, validates and routes requests, and waits for the runs it publishes. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const parts = createParts(dependencies);
  const { requests } = parts.answers;
  const webhookProxy = createWebhookProxy(dependencies.webhooks, requests);
  let closing: Promise<void> | undefined;
  const { settings } = dependencies;
  const fail = (response: ServerResponse, error: unknown) => {
    const known = toHttpError(error);
    answerError(response, parts.release === '1.11' ? known : withoutInput(known), requests);
  };
  const { authenticator, endUsers } = parts.authentication;
  const bodies =
    dependencies.bodies ?? new BodyBudget({ maximumBytes: settings.MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES });
  const serving = {
    authenticator,
    callers: parts.callers,
    endUsers,
    bodies,
    releasesSentBodies: dependencies.bodies === undefined,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
    maximumBodyMembers: fixedLimits.bodyMembers,
    maximumFlowMembers: limitsOf(dependencies).flowMembers,
  };
  const routes = allRoutes(dependencies, parts).map((route) => ({
    ...route,
    handle: serveRoute(route, serving),
  }));
  const forwarded = ingestRoutes.map((route) => ({
    ...route,
    handle: withRoute(route.path, webhookProxy.handle),
  }));
  const served = [...routes, ...forwarded];
  const direct = served.filter(({ isDirect }) => isDirect);
  const { health, logger, metrics } = dependencies;
  const onRequest = createRequestHook({
    health,
    logger,
    metrics,
    accessLog: settings.MILLRACE_ACCESS_LOG,
    requests,
    countedRoutes: direct.map(({ path }) => path),
  });
  const { consoleFiles } = parts.console;
  const guide = guideFiles(dependencies.guideFolder);
  const app = createApp({ routes: served, consoleFiles, guide, onRequest, fail });
  const serveDirectly = directRoutes({ routes: direct, onRequest, fail });
  const server = new HttpServer(limits, (request, response) => {
    request.url = originForm(request.url ?? '');
    if (!serveDirectly(request, response)) app(request, response);
  });
  server.maxConnections = MAXIMUM_CONNECTIONS;
  const endSilentConnections = trackSilentConnections(server);
  const closeIdle = () => {
    server.closeIdleConnections();
    endSilentConnections();
  };
  const open = async () => {
    await parts.control.open(controlHandlers(dependencies, parts));
    // A gateway starts while the database is away, too.
    void parts.authentication.openMembers();
    await parts.runs.pendingRuns.open();
    await parts.events.intake.open();
    // Without a pool of its own, no run depends on whether a flow needs Python.
    if (dependencies.pythonPool !== null) parts.flows.classifier.start();
  };
  return {
    app,
    server,
    open,
    async listen(address) {
      await open();
      const port = await listenAt(server, address);
      server.on('error', (error) =>
        dependencies.logger.warn({ error }, 'a connection could not be accepted'),
      );
      return { port };
    },
    close: () => (closing ??= close(dependencies, parts, { server, closeIdle, webhookProxy })),
  };
}

async function listenAt(
  server: HttpServer,
  address: ReservedPort | { readonly host: string; readonly port: number },
): Promise<number> {
  if (!(address instanceof ReservedPort)) return server.listenAt(address);
  await address.transferTo(server);
  if (address.isShared) await server.acceptMore(address);
  return address.port;
}

/** Returns the handler of a route that is served elsewhere. */
function withRoute(path: string, handle: WebhookProxy['handle']): WebhookProxy['handle'] {
  return (request, response) => {
    factsOf(request).route = path;
    handle(request, response);
  };
}

type Serving = Pick<DirectRoutesOptions, 'routes' | 'onRequest' | 'fail'> &
  Pick<ConsoleParts, 'consoleFiles'> & { readonly guide: ReturnType<typeof guideFiles> };

function createApp({ routes, consoleFiles, guide, onRequest, fail }: Serving): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.set('query parser', false);
  app.use((request, response, next) => {
    if (onRequest(request, response)) next();
  });
  for (const { method, path, handle } of routes) app[verb(method)](path, handle);
  app.use(guide);
  app.use(unmatched(routes, consoleFiles));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    fail(response, error),
  );
  return app;
}

interface ClosingParts {
  readonly server: HttpServer;
  readonly closeIdle: () => void;
  readonly webhookProxy: WebhookProxy;
}

async function close(
  { logger, settings, health }: GatewayDependencies,
  parts: GatewayParts,
  { server, closeIdle, webhookProxy }: ClosingParts,
): Promise<void> {
  health.beginShutdown();
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
  parts.console.liveRuns.close();
  parts.events.followed.close();
  parts.events.watch.end();
  // A keep-alive connection becomes idle only when its current request has been answered.
  const idle = setInterval(closeIdle, IDLE_CHECK_MILLISECONDS);
  await withDeadline(
    stopped,
    settings.MILLRACE_SHUTDOWN_SECONDS * 1000,
    'requests were still in flight',
  ).catch((error: unknown) =>
    logger.warn(
      { error, waiting: parts.runs.pendingRuns.size },
      'shutdown deadline reached; requests in flight are ended',
    ),
  );
  await parts.runs.pendingRuns.close();
  await withDeadline(stopped, FINAL_ANSWERS_MILLISECONDS, 'answers were still being sent').catch(
    () => undefined,
  );
  clearInterval(idle);
  server.closeAllConnections();
  parts.runs.pendingRunMonitor.close();
  webhookProxy.close();
  await parts.flows.classifier.close();
  await parts.events.intake.close();
  await parts.events.watch.close();
  await parts.triggers.publisher.close();
  await parts.control.close();
  await parts.authentication.usage.close();
  await parts.authentication.signOn?.close();
  parts.answers.requests.close();
  parts.answers.failedRuns.close();
}

function verb(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}
