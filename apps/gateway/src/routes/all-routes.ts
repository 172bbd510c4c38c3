import type { GatewayDependencies } from '../gateway-dependencies';
import type { GatewayParts } from '../gateway-parts';
import type { Route } from '../http/route';
import { apiKeyRoutes } from './api-key-routes';
import { deprecatedRoutes } from './deprecated-routes';
import { documentationRoutes } from './documentation-routes';
import { endedRunRoutes } from './ended-run-routes';
import { flowCheckRoutes } from './flow-check-routes';
import { flowFileRoutes } from './flow-file-routes';
import { flowRoutes } from './flow-routes';
import { healthRoutes } from './health-routes';
import { homeRoutes } from './home-routes';
import { logRoutes } from './log-routes';
import { mcpServerRoutes } from './mcp-server-routes';
import { messageRoutes } from './message-routes';
import { monitorRoutes } from './monitor-routes';
import { responseRoutes } from './response-routes';
import { runRecordRoutes } from './run-record-routes';
import { runRoutes } from './run-routes';
import { userFileRoutes } from './user-file-routes';
import { userRoutes } from './user-routes';
import { variableRoutes } from './variable-routes';
import { webhookEventRoutes } from './webhook-event-routes';
import { webhookRoute } from './webhook-route';
import { workflowRoutes } from './workflow-routes';

/** Every route but the webhook's, the description of all of them included; those that are called most come first. */
export function allRoutes(dependencies: GatewayDependencies, parts: GatewayParts): readonly Route[] {
  const { settings } = dependencies;
  const routes = [
    ...runRoutes({
      flows: parts.cache,
      answer: parts.answer,
      durable: parts.durable,
      keepsFaults: settings.MILLRACE_COMPATIBILITY === 'strict',
    }),
    ...workflowRoutes(parts),
    ...responseRoutes({ flows: parts.cache, answer: parts.answer, requests: parts.requests }),
    ...healthRoutes({ ...dependencies, maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES }),
    ...homeRoutes({ publicUrl: settings.MILLRACE_PUBLIC_URL }),
    ...runRecordRoutes({ ...dependencies, ...parts }),
    ...endedRunRoutes(dependencies),
    ...messageRoutes({ ...dependencies, unrecorded: parts.unrecorded }),
    ...flowRoutes({
      flows: dependencies.flows,
      desk: parts.desk,
      webhookKeyRequired: settings.MILLRACE_WEBHOOK_AUTH === 'required',
      publicUrl: settings.MILLRACE_PUBLIC_URL,
    }),
    ...flowCheckRoutes(parts),
    ...flowFileRoutes({
      files: parts.files,
      flows: parts.cache,
      maximumBytes: settings.MILLRACE_MAXIMUM_UPLOAD_BYTES,
    }),
    ...userFileRoutes({ files: parts.files, maximumBytes: settings.MILLRACE_MAXIMUM_UPLOAD_BYTES }),
    ...variableRoutes({ ...dependencies, ...parts }),
    ...mcpServerRoutes(dependencies),
    ...apiKeyRoutes({ ...dependencies, ...parts }),
    ...userRoutes(dependencies),
    ...webhookEventRoutes({ flows: parts.cache, watch: parts.watch, streams: parts.streams }),
    ...monitorRoutes(),
    ...logRoutes(),
    ...deprecatedRoutes(),
  ];
  return [...routes, ...documentationRoutes([...routes, webhookRoute])];
}
