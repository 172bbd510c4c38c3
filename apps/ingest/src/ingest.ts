import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlTopology, readControlMessage } from '@millrace/contracts';
import { FailedRunLog, UserBacklogs } from '@millrace/runs';
import { originForm, redactText } from '@millrace/service';
import type { IngestDependencies } from './ingest-dependencies';
import { DeadLetters } from './dead-letters';
import { Pruner } from './pruner';
import { RefusedWebhookLog } from './refused-webhook-log';
import { RunPublisher } from './run-publisher';
import { WebhookSecrets } from './signatures/webhook-secrets';
import { Sweeper } from './sweeper';
import { Turns } from './turns';
import { WebhookCaller } from './webhook-caller';
import { WebhookHandler } from './webhook-handler';

const USES_INTERVAL_MILLISECONDS = 5_000;
/** For requests in hand when the service stops. */
const STOP_MILLISECONDS = 10_000;

export interface Ingest {
  /** Answers webhook requests; false when the path is none. For whoever mounts ingest in a server of its own. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>;
  /** Stops listening, lets requests in hand finish, then what they left behind. */
  close(): Promise<void>;
}

/** Starts accepting webhooks and sweeping. */
export async function startIngest(dependencies: IngestDependencies): Promise<Ingest> {
  const { bus, names, instance, runs, logger, metrics, apiKeys } = dependencies;
  const accepted = metrics.counter(
    'millrace_webhooks_accepted_total',
    'Webhooks that were answered with 202',
  );
  const verified = metrics.counter(
    'millrace_webhook_verifications_total',
    'Requests by which senders verify the address of a flow that were answered',
  );
  const unpublished = metrics.counter(
    'millrace_publishes_failed_total',
    'Runs whose message could not be sent at once',
  );
  const swept = metrics.counter('millrace_runs_swept_total', 'Runs that were published again');

  const caller = new WebhookCaller(dependencies);
  const secrets = new WebhookSecrets(dependencies);
  const publisher = new RunPublisher({ bus, names, runs, logger, onFailure: () => unpublished.add(1) });
  const waited = metrics.counter('millrace_runs_waited_total', 'Runs that waited for their turn');
  const pruned = metrics.counter('millrace_records_pruned_total', 'Records deleted for their age, by kind');
  const pruner = new Pruner({
    runs,
    logger,
    retentionDays: dependencies.runRetentionDays,
    onPruned: (kind, count) => pruned.add(count, { kind }),
  });
  const turns = new Turns({
    runs,
    bus,
    publisher,
    logger,
    ahead: dependencies.runsAhead,
    idleMilliseconds: dependencies.turnMilliseconds,
  });
  const backlogs = new UserBacklogs({ runs, logger, maximum: dependencies.maximumWaitingRuns });
  const refusals = new RefusedWebhookLog({ logger, metrics });
  const failedRuns = new FailedRunLog({ logger, metrics });
  const handler = new WebhookHandler({
    ...dependencies,
    refusals,
    caller,
    secrets,
    publisher,
    backlogs,
    onAccepted: () => accepted.add(1),
    onVerified: ({ id: flowId, userId }, requestId) => {
      verified.add(1);
      logger.info({ requestId, flowId, userId }, 'Slack request URL verified');
    },
    onWaiting: () => {
      waited.add(1);
      turns.hurry();
    },
  });
  const dead = metrics.counter('millrace_runs_dead_total', 'Dead runs that the broker was told of');
  const deadLetters = new DeadLetters({
    runs,
    bus,
    names,
    logger,
    retentionDays: dependencies.runRetentionDays,
    onAnnounced: (count) => dead.add(count),
  });
  const sweeper = new Sweeper({
    runs,
    bus,
    names,
    publisher,
    deadLetters,
    logger,
    intervalMilliseconds: dependencies.sweepMilliseconds,
    onSwept: (count) => swept.add(count),
    onEnded: (run) => failedRuns.write(run),
  });

  await bus.provision(controlTopology(names, instance));
  const control = await bus.consume(
    names.control(instance),
    { prefetch: 100, noAck: true },
    async ({ body }) => {
      const message = readControlMessage(body.toString());
      if (message === null) logger.warn({ bytes: body.length }, 'a control message could not be understood');
      if (message?.kind === 'key-revoked') caller.forgetKey(message.keyHash);
      if (message?.kind === 'flow-changed') caller.forgetFlows();
      if (message?.kind === 'variables-changed') secrets.forget(message.userId);
      return 'done';
    },
  );
  const countUses = async () => {
    const uses = caller.takeUses();
    if (uses.size > 0)
      await apiKeys
        .countUses(uses)
        .catch((error: unknown) => logger.warn({ error }, 'uses of keys were not counted'));
  };
  const usesTimer = setInterval(() => void countUses(), USES_INTERVAL_MILLISECONDS);
  sweeper.start();
  turns.start();
  pruner.start();

  let server: Server | null = null;
  return {
    handle: (request, response) => handler.handle(request, response),
    async listen({ host, port }) {
      server = ownServer(dependencies, handler);
      await new Promise<void>((resolve, reject) => server?.once('error', reject).listen(port, host, resolve));
      return { port: (server.address() as AddressInfo).port };
    },
    async close() {
      dependencies.health.beginShutdown();
      if (server) await stop(server);
      clearInterval(usesTimer);
      await sweeper.close();
      await turns.close();
      await pruner.close();
      await handler.close();
      await publisher.close();
      await control.close();
      await countUses();
      refusals.close();
      failedRuns.close();
    },
  };
}

/** The server of a process of its own: webhooks, health and metrics, nothing else. Slow senders are cut off. */
function ownServer({ health, metrics }: IngestDependencies, handler: WebhookHandler): Server {
  const limits = {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
  };
  return createServer(limits, (request, response) => {
    request.url = originForm(request.url ?? '');
    if (handler.handle(request, response)) return;
    void answerProbe({ health, metrics }, request.url ?? '', response);
  });
}

async function answerProbe(
  { health, metrics }: Pick<IngestDependencies, 'health' | 'metrics'>,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(redactText(JSON.stringify(body)));
  if (path === '/healthz') send(200, { status: 'ok' });
  else if (path === '/readyz') {
    const state = await health.ready();
    send(state.ready ? 200 : 503, state);
  } else if (path === '/metrics') {
    response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
      .end(await metrics.prometheusText());
  } else send(404, { detail: 'Not Found' });
}

/** Requests in hand get their answers; connections that are still open after that are cut. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const overdue = setTimeout(() => server.closeAllConnections(), STOP_MILLISECONDS);
  await closed;
  clearTimeout(overdue);
}
