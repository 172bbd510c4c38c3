import { IdentityStore, LimitStore, TraceStore } from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import type { GatewayDependencies } from '../gateway-dependencies';
import type { GatewayParts } from '../gateway-parts';
import { withRefusedBody } from '../http/routing/unknown-members';
import type { DocumentedRoute, Route } from '../http/routing/route';
import { gatewaySettings } from '../settings';
import { a2aRoutes } from './a2a/a2a-routes';
import { aguiRoutes } from './agui/agui-routes';
import { alertRoutes } from './alerts/alert-routes';
import { apiKeyRoutes } from './api-keys/api-key-routes';
import { autoscaleRoutes } from './autoscale/autoscale-routes';
import { auditRoutes } from './audit/audit-routes';
import { authorCodeRoutes } from './author-code/author-code-routes';
import { bulkRunRoutes } from './runs/bulk-run-routes';
import { consoleSessionRoutes } from './console/console-session-routes';
import { signOnRoutes } from './console/sign-on-routes';
import { conversationRoutes } from './conversations/conversation-routes';
import { callbackRoutes } from './callbacks/callback-routes';
import { chatRoutes } from './chat-completions/chat-routes';
import { deprecatedRoutes } from './system/deprecated-routes';
import { documentationRoutes } from './system/documentation-routes';
import { endedRunRoutes } from './runs/ended-run-routes';
import { erasureRoutes } from './erasures/erasure-routes';
import { flowCheckRoutes } from './flows/flow-check-routes';
import { flowExpansionRoutes } from './flows/flow-expansion-routes';
import { flowInterfaceRoutes } from './flows/flow-interface-routes';
import { flowFileRoutes } from './flows/flow-file-routes';
import { flowRoutes } from './flows/flow-routes';
import { flowPauseRoutes } from './flows/flow-pause-routes';
import { flowVersionRoutes } from './flows/flow-version-routes';
import { healthRoutes } from './system/health-routes';
import { homeRoutes } from './home/home-routes';
import { limitRoutes } from './limits/limit-routes';
import { logRoutes } from './system/log-routes';
import { mcpRoutes } from './mcp/mcp-routes';
import { mcpSseRoutes } from './mcp/mcp-sse-routes';
import { mcpServerRoutes } from './mcp-servers/mcp-server-routes';
import { messageRoutes } from './messages/message-routes';
import { responseRoutes } from './responses/response-routes';
import { runAttemptRoutes } from './runs/run-attempt-routes';
import { runEventRoutes } from './runs/run-event-routes';
import { runHistoryRoutes } from './runs/run-history-routes';
import { runRecordRoutes } from './runs/run-record-routes';
import { runRequestRoutes } from './runs/run-request-routes';
import { runWaitingRoutes } from './runs/run-waiting-routes';
import { runRoutes } from './runs/run-routes';
import { jobQueueRoutes } from './workers/job-queue-routes';
import { knowledgeBaseRoutes } from './knowledge-bases/knowledge-base-routes';
import { langflowTraceRoutes } from './traces/langflow-trace-routes';
import { monitorRoutes } from './traces/monitor-routes';
import { runTraceRoutes } from './traces/run-trace-routes';
import { ingressRoute } from './triggers/ingress-route';
import { scheduleRoutes } from './triggers/schedule-routes';
import { systemRoutes } from './system/system-routes';
import { triggerRoutes } from './triggers/trigger-routes';
import { usageRoutes } from './usage/usage-routes';
import { userFileRoutes } from './files/user-file-routes';
import { userRoutes } from './users/user-routes';
import { variableRoutes } from './variables/variable-routes';
import { memberRoutes } from './projects/member-routes';
import { projectRoutes } from './projects/project-routes';
import { projectToolRoutes } from './projects/project-tool-routes';
import { refusedDeliveryRoutes } from './webhooks/refused-delivery-routes';
import { testSignatureRoutes } from './webhooks/test-signature-route';
import { webhookEventRoutes } from './webhooks/webhook-event-routes';
import { handshakeRoutes } from './webhooks/handshake-routes';
import { webhookRoute, webhookVerificationRoute } from './webhooks/webhook-route';
import { workerRoutes } from './workers/worker-routes';
import { decisionRoutes } from './workflows/decision-routes';
import { workflowRoutes } from './workflows/workflow-routes';

/** The routes that ingest serves. */
export const ingestRoutes: readonly DocumentedRoute[] = [
  webhookRoute,
  webhookVerificationRoute,
  ingressRoute,
  ...handshakeRoutes,
];

/** Returns all routes except those that ingest serves, including the documentation of all. Frequently called routes come first. */
export function allRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const routes = [
    ...runStartRoutes(dependencies, parts),
    ...serviceRoutes(dependencies, parts),
    ...consoleRoutes(dependencies, parts),
    ...runManagementRoutes(dependencies, parts),
    ...flowAndFileRoutes(dependencies, parts),
    ...triggerAndToolRoutes(dependencies, parts),
    ...administrationRoutes(dependencies, parts),
    ...eventAndTraceRoutes(dependencies, parts),
    ...logRoutes(),
    ...deprecatedRoutes(),
  ].map(withRefusedBody);
  return [...routes, ...documentationRoutes([...routes, ...ingestRoutes])];
}

function runStartRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, flows, variables, runs, decisionLinks, clock } = dependencies;
  const { cache, traits } = parts.flows;
  const { durable, concurrencyLimit } = parts.runs;
  const { answer, requests, workflows, humanRequests } = parts.answers;
  const { streams } = parts.authentication;
  const { following } = parts.events;
  const { release } = parts;
  const isStrict = settings.MILLRACE_COMPATIBILITY === 'strict';
  return [
    ...runRoutes({ answer, durable, traits, variables, streams, isStrict, release }),
    ...workflowRoutes({ workflows, humanRequests, following, streams, concurrencyLimit, release }),
    ...aguiRoutes({ flows: cache, workflows, humanRequests, following, streams, concurrencyLimit }),
    ...decisionRoutes({ links: decisionLinks, runs, humanRequests, clock }),
    ...responseRoutes({ flows: cache, traits, answer, streams, requests }),
    ...chatRoutes({ flows, cache, answer, streams, callers: parts.callers }),
  ];
}

function serviceRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, health, metrics, database, keyValue, clock, logger, instance, users } = dependencies;
  const { settingsDefinition: definition = gatewaySettings } = dependencies;
  const { release } = parts;
  const { meter } = parts.runs;
  const maximumBodyBytes = settings.MILLRACE_MAXIMUM_BODY_BYTES;
  const rule = {
    targetRuns: settings.MILLRACE_AUTOSCALE_TARGET_RUNS,
    minimumExecutors: settings.MILLRACE_AUTOSCALE_MINIMUM_EXECUTORS,
    maximumExecutors: settings.MILLRACE_AUTOSCALE_MAXIMUM_EXECUTORS,
  };
  return [
    ...healthRoutes({
      health,
      metrics,
      database,
      logger,
      release,
      authenticator: parts.authentication.authenticator,
      maximumBodyBytes,
      webhookKeyRequired: settings.MILLRACE_WEBHOOK_AUTH === 'required',
    }),
    ...autoscaleRoutes({ users, meter, keyValue, clock, rule, logger }),
    ...workerRoutes({ users, meter, keyValue, clock, logger }),
    ...jobQueueRoutes({ users, meter, keyValue, logger }),
    ...systemRoutes({ users, health, clock, instance, definition, settings }),
  ];
}

function consoleRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, database, users, audit, apiKeys, consoleSessions, refusedSignIns } = dependencies;
  const { logger } = dependencies;
  const { control } = parts;
  const { authenticator, cookie, endSession } = parts.authentication;
  const { signOn, principals, sessions } = parts.authentication;
  const { consoleFiles } = parts.console;
  const publicUrl = settings.MILLRACE_PUBLIC_URL;
  const starting = {
    cookie,
    consoleSessions,
    audit,
    control,
    endSession,
    lifetimeSeconds: fixedLimits.consoleSessionSeconds,
  };
  return [
    ...homeRoutes({ publicUrl, consoleFiles }),
    ...consoleSessionRoutes({ ...starting, authenticator, users, publicUrl }),
    ...signOnRoutes({
      ...starting,
      signOn,
      identities: new IdentityStore({ database }),
      apiKeys,
      principals,
      sessions,
      refused: refusedSignIns,
      publicUrl,
      logger,
    }),
  ];
}

function runManagementRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, database, runs, users, seal, audit, messages, clock, pythonPool, logger } = dependencies;
  const { reads = database } = dependencies;
  const { release, control } = parts;
  const { streams, limits } = parts.authentication;
  const { liveRuns, runHistory: history } = parts.console;
  const { runLocator, readYourWrites, backlogs, backlogLimits, announced } = parts.runs;
  const { cache, traits } = parts.flows;
  return [
    ...runEventRoutes({ liveRuns, users, streams, clock }),
    ...runHistoryRoutes({ history, database: reads, users }),
    ...runWaitingRoutes({
      users,
      database,
      seal,
      runLocator,
      readYourWrites,
      announced,
      publishedPerUser: settings.MILLRACE_USER_QUEUE_SHARE,
      clock,
    }),
    ...usageRoutes({ database: reads, users, clock }),
    ...alertRoutes({ database: reads }),
    ...runRecordRoutes({
      users,
      database,
      seal,
      runs,
      audit,
      runLocator,
      readYourWrites,
      control,
      traceUrlTemplate: settings.MILLRACE_TRACE_URL_TEMPLATE,
    }),
    ...runAttemptRoutes({ users, database, seal, runs, runLocator, readYourWrites }),
    ...runRequestRoutes({ runs, readYourWrites }),
    ...endedRunRoutes({
      runs,
      audit,
      pythonPool,
      cache,
      traits,
      backlogs,
      backlogLimits,
      limits,
      readYourWrites,
    }),
    ...bulkRunRoutes({ runs, audit, users, backlogs, control, pythonPool, logger }),
    ...messageRoutes({ messages, readYourWrites, release }),
    ...conversationRoutes({ database, readYourWrites }),
  ];
}

function flowAndFileRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, files, flows, projects, members, users, audit, knowledgeBases, registry, runs } =
    dependencies;
  const { release, control } = parts;
  const { flowService, cache, traits } = parts.flows;
  const { durable } = parts.runs;
  const { workflows } = parts.answers;
  const { limits, principals } = parts.authentication;
  const webhookKeyRequired = settings.MILLRACE_WEBHOOK_AUTH === 'required';
  const publicUrl = settings.MILLRACE_PUBLIC_URL;
  const maximumBytes = settings.MILLRACE_MAXIMUM_UPLOAD_BYTES;
  return [
    ...flowRoutes({ flows, projects, flowService, users, audit, release, webhookKeyRequired, publicUrl }),
    ...projectToolRoutes({ flows, projects, flowService, audit }),
    ...projectRoutes({
      flows,
      projects,
      members,
      flowService,
      audit,
      users,
      release,
      webhookKeyRequired,
      publicUrl,
      principals,
      control,
    }),
    ...memberRoutes({ members, projects, users, audit, principals, control }),
    ...flowCheckRoutes({ flowService }),
    ...flowExpansionRoutes({ registry }),
    ...flowInterfaceRoutes({ flows, registry, publicUrl }),
    ...flowVersionRoutes({ flows, users, audit, flowService }),
    ...flowPauseRoutes({ flows, flowService, audit }),
    ...flowFileRoutes({ files, audit, flows: cache, maximumBytes, limits }),
    ...userFileRoutes({ files, audit, maximumBytes, limits }),
    ...knowledgeBaseRoutes({
      knowledgeBases,
      files,
      audit,
      cache,
      traits,
      flowService,
      durable,
      runs,
      workflows,
      limits,
    }),
  ];
}

function triggerAndToolRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings, triggers, callbacks, variables, flows, mcpServers, audit, clock, logger, runs } =
    dependencies;
  const { release, control, callers } = parts;
  const { cache, traits } = parts.flows;
  const { pendingRuns, durable, concurrencyLimit, readYourWrites } = parts.runs;
  const { triggerService } = parts.triggers;
  const { answer, toolCalls, workflows, humanRequests } = parts.answers;
  const { following } = parts.events;
  const { streams, limits } = parts.authentication;
  const publicUrl = settings.MILLRACE_PUBLIC_URL;
  return [
    ...triggerRoutes({ triggers, triggerService, flows: cache, publicUrl }),
    ...scheduleRoutes({ triggers, clock }),
    ...callbackRoutes({ callbacks, audit }),
    ...variableRoutes({ variables, audit, control, release }),
    ...mcpRoutes({ cache, answer, pendingRuns, control, flows, toolCalls, callers, limits, logger }),
    ...mcpSseRoutes({
      cache,
      answer,
      pendingRuns,
      control,
      flows,
      toolCalls,
      callers,
      limits,
      streams,
      logger,
    }),
    ...mcpServerRoutes({ mcpServers, audit, release }),
    ...a2aRoutes({
      flows,
      cache,
      traits,
      answer,
      durable,
      runs,
      readYourWrites,
      workflows,
      humanRequests,
      following,
      streams,
      concurrencyLimit,
      release,
      publicUrl,
      callers,
    }),
  ];
}

function administrationRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { database, audit, users, apiKeys, flows, projects, members, messages, logger } = dependencies;
  const { authorCode, approvedCode } = dependencies;
  const { control } = parts;
  const { principals, sessions } = parts.authentication;
  const { flowService, cache } = parts.flows;
  const { readYourWrites } = parts.runs;
  const limitStore = new LimitStore({ database });
  return [
    ...auditRoutes({ audit, users }),
    ...apiKeyRoutes({ apiKeys, flows, projects, members, audit, principals, sessions, control }),
    ...userRoutes({ users, apiKeys, members, audit, flows, flowService, principals, sessions, control }),
    ...limitRoutes({ limitStore, users, audit, principals, sessions, cache, control }),
    ...erasureRoutes({ database, messages, audit, readYourWrites }),
    ...authorCodeRoutes({ authorCode, audit, users, approvedCode, control, logger }),
  ];
}

function eventAndTraceRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { database, flows, audit, users, seal, runs, variables } = dependencies;
  const { cache } = parts.flows;
  const { streams } = parts.authentication;
  const { watch } = parts.events;
  const { readYourWrites, runLocator, liveVertices } = parts.runs;
  const traces = new TraceStore({ database });
  return [
    ...refusedDeliveryRoutes({ flows, database }),
    ...testSignatureRoutes({ flows, variables }),
    ...webhookEventRoutes({ flows: cache, watch, streams }),
    ...monitorRoutes({ traces, audit, readYourWrites }),
    ...langflowTraceRoutes({ traces, audit, flows, readYourWrites }),
    ...runTraceRoutes({ users, database, seal, runs, traces, runLocator, liveVertices, readYourWrites }),
  ];
}
