import { TraceStore } from '@millrace/runs';
import { fixedLimits } from '@millrace/service';
import type { GatewayDependencies } from '../gateway-dependencies';
import type { GatewayParts } from '../gateway-parts';
import { withRefusedBody } from '../http/routing/refuse-unknown-members';
import type { Route } from '../http/routing/route';
import { gatewaySettings } from '../settings';
import { apiKeyRoutes } from './api-keys/api-key-routes';
import { autoscaleRoutes } from './autoscale/autoscale-routes';
import { auditRoutes } from './audit/audit-routes';
import { authorCodeRoutes } from './author-code/author-code-routes';
import { bulkRunRoutes } from './runs/bulk-run-routes';
import { consoleSessionRoutes } from './console/console-session-routes';
import { callbackRoutes } from './callbacks/callback-routes';
import { chatRoutes } from './chat-completions/chat-routes';
import { deprecatedRoutes } from './system/deprecated-routes';
import { documentationRoutes } from './system/documentation-routes';
import { endedRunRoutes } from './runs/ended-run-routes';
import { erasureRoutes } from './erasures/erasure-routes';
import { flowCheckRoutes } from './flows/flow-check-routes';
import { flowFileRoutes } from './flows/flow-file-routes';
import { flowRoutes } from './flows/flow-routes';
import { flowVersionRoutes } from './flows/flow-version-routes';
import { healthRoutes } from './system/health-routes';
import { homeRoutes } from './home/home-routes';
import { logRoutes } from './system/log-routes';
import { mcpRoutes } from './mcp/mcp-routes';
import { mcpServerRoutes } from './mcp-servers/mcp-server-routes';
import { messageRoutes } from './messages/message-routes';
import { responseRoutes } from './responses/response-routes';
import { runAttemptRoutes } from './runs/run-attempt-routes';
import { runEventRoutes } from './runs/run-event-routes';
import { runHistoryRoutes } from './runs/run-history-routes';
import { runRecordRoutes } from './runs/run-record-routes';
import { runRequestRoutes } from './runs/run-request-routes';
import { runRoutes } from './runs/run-routes';
import { langflowTraceRoutes } from './traces/langflow-trace-routes';
import { monitorRoutes } from './traces/monitor-routes';
import { runTraceRoutes } from './traces/run-trace-routes';
import { ingressRoute } from './triggers/ingress-route';
import { scheduleRoutes } from './triggers/schedule-routes';
import { systemRoutes } from './system/system-routes';
import { triggerRoutes } from './triggers/trigger-routes';
import { userFileRoutes } from './files/user-file-routes';
import { userRoutes } from './users/user-routes';
import { variableRoutes } from './variables/variable-routes';
import { refusedDeliveryRoutes } from './webhooks/refused-delivery-routes';
import { webhookEventRoutes } from './webhooks/webhook-event-routes';
import { handshakeRoutes } from './webhooks/handshake-routes';
import { webhookRoute, webhookVerificationRoute } from './webhooks/webhook-route';
import { workerRoutes } from './workers/worker-routes';
import { workflowRoutes } from './workflows/workflow-routes';

/** Returns all routes except those that ingest serves, including the documentation of all. Frequently called routes come first. */
export function allRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings } = dependencies;
  const traces = new TraceStore(dependencies);
  const routes = [
    ...runRoutes({
      flows: parts.cache,
      answer: parts.answer,
      durable: parts.durable,
      tweaks: parts.tweaks,
      variables: dependencies.variables,
      isStrict: settings.MILLRACE_COMPATIBILITY === 'strict',
    }),
    ...workflowRoutes(parts),
    ...responseRoutes({ flows: parts.cache, answer: parts.answer, requests: parts.requests }),
    ...chatRoutes({ flows: dependencies.flows, cache: parts.cache, answer: parts.answer }),
    ...healthRoutes({
      ...dependencies,
      maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
      release: parts.release,
    }),
    ...autoscaleRoutes({
      ...dependencies,
      meter: parts.meter,
      rule: {
        targetRuns: settings.MILLRACE_AUTOSCALE_TARGET_RUNS,
        minimumExecutors: settings.MILLRACE_AUTOSCALE_MINIMUM_EXECUTORS,
        maximumExecutors: settings.MILLRACE_AUTOSCALE_MAXIMUM_EXECUTORS,
      },
    }),
    ...workerRoutes({ ...dependencies, meter: parts.meter }),
    ...systemRoutes({
      ...dependencies,
      definition: dependencies.settingsDefinition ?? gatewaySettings,
    }),
    ...homeRoutes({ publicUrl: settings.MILLRACE_PUBLIC_URL, consoleFiles: parts.consoleFiles }),
    ...consoleSessionRoutes({
      ...dependencies,
      ...parts,
      publicUrl: settings.MILLRACE_PUBLIC_URL,
      lifetimeSeconds: fixedLimits.consoleSessionSeconds,
    }),
    ...runEventRoutes({ ...dependencies, ...parts }),
    ...runHistoryRoutes({ ...dependencies, history: parts.runHistory }),
    ...runRecordRoutes({
      ...dependencies,
      ...parts,
      traceUrlTemplate: settings.MILLRACE_TRACE_URL_TEMPLATE,
    }),
    ...runAttemptRoutes({ ...dependencies, ...parts }),
    ...runRequestRoutes({ ...dependencies, ...parts }),
    ...endedRunRoutes({ ...dependencies, ...parts }),
    ...bulkRunRoutes({ ...dependencies, ...parts }),
    ...messageRoutes({
      ...dependencies,
      readYourWrites: parts.readYourWrites,
      release: parts.release,
    }),
    ...flowRoutes({
      flows: dependencies.flows,
      flowService: parts.flowService,
      users: dependencies.users,
      release: parts.release,
      webhookKeyRequired: settings.MILLRACE_WEBHOOK_AUTH === 'required',
      publicUrl: settings.MILLRACE_PUBLIC_URL,
    }),
    ...flowCheckRoutes(parts),
    ...flowVersionRoutes({ ...dependencies, ...parts }),
    ...flowFileRoutes({
      files: parts.files,
      audit: dependencies.audit,
      flows: parts.cache,
      maximumBytes: settings.MILLRACE_MAXIMUM_UPLOAD_BYTES,
    }),
    ...userFileRoutes({
      files: parts.files,
      audit: dependencies.audit,
      maximumBytes: settings.MILLRACE_MAXIMUM_UPLOAD_BYTES,
    }),
    ...triggerRoutes({
      triggers: dependencies.triggers,
      triggerService: parts.triggerService,
      flows: parts.cache,
      publicUrl: settings.MILLRACE_PUBLIC_URL,
    }),
    ...scheduleRoutes(dependencies),
    ...callbackRoutes(dependencies),
    ...variableRoutes({ ...dependencies, ...parts }),
    ...mcpRoutes({ ...parts, flows: dependencies.flows, logger: dependencies.logger }),
    ...mcpServerRoutes(dependencies),
    ...auditRoutes(dependencies),
    ...apiKeyRoutes({ ...dependencies, ...parts }),
    ...userRoutes({ ...dependencies, ...parts }),
    ...erasureRoutes({ ...dependencies, ...parts }),
    ...authorCodeRoutes({ ...dependencies, ...parts }),
    ...refusedDeliveryRoutes(dependencies),
    ...webhookEventRoutes({ flows: parts.cache, watch: parts.watch, streams: parts.streams }),
    ...monitorRoutes({ ...dependencies, ...parts, traces }),
    ...langflowTraceRoutes({ ...dependencies, ...parts, traces }),
    ...runTraceRoutes({ ...dependencies, ...parts, traces }),
    ...logRoutes(),
    ...deprecatedRoutes(),
  ].map(withRefusedBody);
  return [
    ...routes,
    ...documentationRoutes([
      ...routes,
      webhookRoute,
      webhookVerificationRoute,
      ingressRoute,
      ...handshakeRoutes,
    ]),
  ];
}
