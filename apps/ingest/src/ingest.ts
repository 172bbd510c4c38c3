import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  BacklogLimits,
  CallerAddresses,
  FlowCache,
  KeyUsage,
  PrincipalCache,
  RequestLimits,
} from '@millrace/access';
import { controlTopology } from '@millrace/messages';
import { controlHandler, RunPublisher } from '@millrace/dispatch';
import {
  answerProbe,
  BodyBudget,
  HttpServer,
  originForm,
  RequestObserver,
  serverLimits,
  stopServer,
} from '@millrace/http';
import { ExternalBroker } from '@millrace/messaging';
import type { DeliveryHandler } from '@millrace/messaging';
import { UserBacklogs } from '@millrace/runs';
import type { QueueSourceStore } from '@millrace/runs';
import { createOutgoingGuard, fixedLimits } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import type { IngestDependencies, IngestLimits, IngestOptions } from './ingest-dependencies';
import { startCallbacks } from './callbacks/start-callbacks';
import { BrokerUrls } from './intake/queues/broker-urls';
import type { QueueSourceDependencies } from './intake/queues/queue-source-dependencies';
import type { QueueSources } from './intake/queues/queue-sources';
import { startQueueSources } from './intake/queues/start-queue-sources';
import { HttpAnswers } from './intake/http-answers';
import { RefusedDeliveries } from './intake/refused-deliveries';
import { RefusedWebhookLog } from './intake/refused-webhook-log';
import { WebhookSecrets } from './intake/webhooks/signatures/webhook-secrets';
import { TRIGGER_ROUTE, TriggerHandler } from './intake/triggers/trigger-handler';
import type { TriggerHandlerDependencies } from './intake/triggers/trigger-handler';
import { createUpkeep } from './upkeep/create-upkeep';
import { WaitingSenders } from './intake/webhooks/waiting-senders';
import { WebhookAuthenticator } from './intake/webhooks/webhook-authenticator';
import { WEBHOOK_ROUTE, WebhookHandler } from './intake/webhooks/webhook-handler';
import type { WebhookHandlerDependencies } from './intake/webhooks/webhook-handler';

/** Grace period for in-flight requests when the service stops. */
const STOP_DEADLINE_MILLISECONDS = 10_000;

const FLOW_TTL_MILLISECONDS = 2_000;
const BROKER_CONNECT_MILLISECONDS = 10_000;

export interface Ingest {
  /** Answers webhook requests; returns false for any other path. For servers that mount ingest. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly port: number }>;
  /** Stops listening, waits for in-flight requests, then for the work that they started. */
  close(): Promise<void>;
}

/** Starts accepting webhooks and sweeping. */
export async function startIngest(dependencies: IngestDependencies): Promise<Ingest> {
  const { settings, bus, names, instance, logger, health } = dependencies;
  const limits: IngestLimits = { ...fixedLimits, ...dependencies.limits };
  const parts = createParts(dependencies, limits);
  const { intake, upkeep, webhooks, triggers, secrets, urls } = parts;

  await bus.provision(controlTopology(names, instance));
  const control = await bus.consume(
    names.control(instance),
    { prefetch: 100, noAck: true },
    ingestControl(parts, logger),
  );
  upkeep.start();
  const openBroker = brokerDial(settings);
  const sources = startQueues({ ...dependencies, ...intake, limits, urls, openBroker });
  const callbacks = startCallbacks({ ...dependencies, limits, secrets, urls, openBroker });
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    webhooks.handle(request, response) || triggers.handle(request, response);

  let server: HttpServer | null = null;
  return {
    handle,
    async listen(address) {
      server = createIngestServer(dependencies, handle);
      const port = await server.listenAt(address);
      server.on('error', (error) => logger.warn({ error }, 'a connection could not be accepted'));
      return { port };
    },
    async close() {
      health.beginShutdown();
      await parts.waiting.close();
      if (server) await stopServer(server, STOP_DEADLINE_MILLISECONDS);
      await upkeep.close();
      await callbacks.close();
      await webhooks.close();
      await triggers.close();
      await sources?.close();
      await intake.publisher.close();
      await control.close();
      await parts.usage.close();
      parts.refusals.close();
      await parts.refusedDeliveries.close();
    },
  };
}

type IngestParts = ReturnType<typeof createParts>;

/** Creates all parts of ingest; none of them works yet. */
function createParts(dependencies: IngestDependencies, limits: IngestLimits) {
  const { settings, bus, names, runs, logger, metrics, health } = dependencies;
  const ofRuns = {
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS * 1_000,
    maximumAttempts: limits.runAttempts,
    publishedRunsPerUser: settings.MILLRACE_USER_QUEUE_SHARE,
  };
  const unpublished = metrics.counter(
    'millrace_publishes_failed_total',
    'Runs whose message could not be published at once',
  );
  const publisher = new RunPublisher({ bus, names, runs, logger, onFailure: () => unpublished.add(1) });
  const upkeep = createUpkeep({ ...dependencies, ...ofRuns, publisher });
  const bodies =
    dependencies.bodies ?? new BodyBudget({ maximumBytes: settings.MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES });
  const backlogs = new UserBacklogs({ runs, logger, maximum: settings.MILLRACE_USER_BACKLOG_LIMIT });
  const processes = settings.MILLRACE_TOTAL_WORKERS ?? settings.MILLRACE_WORKERS;
  const backlogLimits = new BacklogLimits({ ...dependencies, processes });
  const intake = { ...ofRuns, bodies, publisher, backlogs, backlogLimits, onBacklogged: upkeep.onBacklogged };
  const refusals = new RefusedWebhookLog({ logger, metrics });
  const refusedDeliveries = new RefusedDeliveries({ store: dependencies.refusedDeliveries, logger, metrics });
  const doors = {
    ...dependencies,
    ...intake,
    answers: new HttpAnswers({ health, refusals }),
    refusedDeliveries,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
    maximumBodyMembers: limits.bodyMembers,
  };
  const access = createAccess(dependencies, processes);
  const secrets = new WebhookSecrets(dependencies);
  const waiting = new WaitingSenders({ runs, logger });
  return {
    ...access,
    secrets,
    urls: new BrokerUrls(dependencies),
    upkeep,
    intake,
    refusals,
    refusedDeliveries,
    waiting,
    webhooks: createWebhooks({ ...doors, authenticator: access.authenticator, secrets, waiting }),
    triggers: createTriggers({ ...doors, processes, requestLimits: access.limits }),
  };
}

/** Creates the caches of callers and flows, and what authenticates a webhook with them. */
function createAccess(dependencies: IngestDependencies, processes: number) {
  const { settings, apiKeys, clock, keyValue, logger } = dependencies;
  const principals = new PrincipalCache({ apiKeys, now: () => clock.now() });
  const usage = new KeyUsage({ apiKeys, logger });
  const flows = new FlowCache({ ...dependencies, ttlMilliseconds: FLOW_TTL_MILLISECONDS });
  const limits = new RequestLimits({
    keyRequestsPerSecond: settings.MILLRACE_KEY_REQUESTS_PER_SECOND,
    keyValue,
    processes,
    logger,
  });
  const authenticator = new WebhookAuthenticator({
    principals,
    usage,
    flows,
    addresses: new CallerAddresses(settings.MILLRACE_TRUSTED_PROXIES),
    limits,
    webhookAuthentication: settings.MILLRACE_WEBHOOK_AUTH,
  });
  return { principals, usage, flows, limits, authenticator };
}

function createWebhooks(
  dependencies: Omit<WebhookHandlerDependencies, 'onAccepted' | 'onVerified'> & {
    readonly metrics: Metrics;
  },
): WebhookHandler {
  const { metrics, logger } = dependencies;
  const accepted = metrics.counter(
    'millrace_webhooks_accepted_total',
    'Webhooks that were answered with 202',
  );
  const verified = metrics.counter(
    'millrace_webhook_verifications_total',
    'Answered requests by which senders verify the webhook address of a flow',
  );
  return new WebhookHandler({
    ...dependencies,
    onAccepted: () => accepted.add(1),
    onVerified: ({ id: flowId, userId }, { sender, requestId }) => {
      verified.add(1);
      logger.info({ requestId, flowId, userId, sender }, 'webhook address verified');
    },
  });
}

function createTriggers(
  dependencies: Omit<TriggerHandlerDependencies, 'onAccepted'> & { readonly metrics: Metrics },
): TriggerHandler {
  const delivered = dependencies.metrics.counter(
    'millrace_trigger_deliveries_accepted_total',
    'Deliveries to inbound webhooks of triggers that were answered with 202',
  );
  return new TriggerHandler({ ...dependencies, onAccepted: () => delivered.add(1) });
}

/** Returns the consumer of the control queue of ingest. */
function ingestControl({ principals, flows, secrets, urls }: IngestParts, logger: Logger): DeliveryHandler {
  return controlHandler(
    {
      'key-revoked': ({ keyHash }) => principals.invalidate(keyHash),
      'limits-changed': () => [principals, flows].forEach((cache) => cache.clear()),
      'flow-changed': () => flows.clear(),
      'variables-changed': ({ userId }) => [secrets, urls].forEach((cache) => cache.forget(userId)),
    },
    logger,
  );
}

/** Returns what connects to users' brokers, at public addresses and those that the installation allows. */
function brokerDial({
  MILLRACE_OUTGOING_ALLOW,
}: Pick<IngestOptions, 'MILLRACE_OUTGOING_ALLOW'>): QueueSourceDependencies['openBroker'] {
  const guard = createOutgoingGuard({ allow: MILLRACE_OUTGOING_ALLOW });
  const connectTimeoutMilliseconds = BROKER_CONNECT_MILLISECONDS;
  return (url, connectionName) =>
    ExternalBroker.open(url, { guard, connectionName, connectTimeoutMilliseconds });
}

interface QueueDependencies extends Omit<QueueSourceDependencies, 'sources' | 'counts' | 'limits'> {
  readonly queueSources?: QueueSourceStore;
  readonly queueRoundMilliseconds?: number;
  readonly limits: IngestLimits;
  readonly metrics: Metrics;
}

/** Starts consuming from users' queues, unless this process is not to do that. */
function startQueues({ queueSources, limits, ...dependencies }: QueueDependencies): QueueSources | null {
  if (queueSources === undefined || limits.processQueueSources === 0) return null;
  return startQueueSources({
    ...dependencies,
    sources: queueSources,
    maximumSources: limits.processQueueSources,
    leaseMilliseconds: limits.queueLeaseMilliseconds,
    roundMilliseconds: dependencies.queueRoundMilliseconds,
    limits: {
      maximumPrefetch: limits.queuePrefetch,
      maximumBytes: limits.queueMessageBytes,
      maximumMembers: limits.bodyMembers,
    },
  });
}

/**
 * Creates the server of a separate ingest process: webhooks, health and metrics, nothing else. Slow senders are
 * disconnected.
 */
function createIngestServer(dependencies: IngestDependencies, handle: Ingest['handle']): HttpServer {
  const { health, metrics } = dependencies;
  const observer = new RequestObserver({
    ...dependencies,
    accessLog: dependencies.settings.MILLRACE_ACCESS_LOG,
    expected: { routes: [WEBHOOK_ROUTE, TRIGGER_ROUTE], statuses: ['202', '429', '503'] },
  });
  return new HttpServer({ ...serverLimits, requestTimeout: 10_000 }, (request, response) => {
    observer.observe(request, response);
    request.url = originForm(request.url ?? '');
    if (handle(request, response)) return;
    void answerProbe({ health, metrics }, request.url ?? '', response);
  });
}
