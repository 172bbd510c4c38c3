import {
  aliveSchema,
  editorSessionSchema,
  healthySchema,
  readinessSchema,
  unhealthySchema,
  versionSchema,
} from './health-schemas';
import { configRoute } from './config-route';
import type { ConfigRouteOptions } from './config-route';
import { langflowVersions } from './langflow-versions';
import type { Database } from '@millrace/database';
import { redactText, version, withDeadline } from '@millrace/service';
import type { Health, LangflowRelease, Logger, Metrics } from '@millrace/service';
import { publicPage } from '../../http/routing/route';
import type { Call, Route } from '../../http/routing/route';
import { sendJson, sendJsonText } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const DATABASE_TIMEOUT_MILLISECONDS = 2_000;

const operations = {
  alive: { summary: 'Whether the process is alive', answers: { 200: json('Alive', aliveSchema) } },
  health: {
    summary: 'Whether the process and its database are available',
    answers: {
      200: json('Available', healthySchema),
      500: json('The database is unavailable', unhealthySchema),
    },
  },
  ready: {
    summary: 'Whether the process is ready for requests',
    answers: { 200: json('Ready', readinessSchema), 503: json('Not ready; see the checks', readinessSchema) },
  },
  metrics: {
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Text format', content: { 'text/plain': { type: 'string' } } } },
  },
  version: {
    summary: 'The version',
    answers: { 200: json('The version and that of the compatible Langflow', versionSchema) },
  },
  session: {
    summary: "Whether the caller has a session of Langflow's editor",
    answers: { 200: json('No session: callers have API keys', editorSessionSchema) },
  },
} as const satisfies Record<string, Operation>;

export interface HealthRoutesOptions extends ConfigRouteOptions {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly logger: Logger;
  readonly release: LangflowRelease;
}

/** Routes for probes, metrics scrapers and client start-up. */
export function healthRoutes(options: HealthRoutesOptions): readonly Route[] {
  const { health, metrics, database, logger, release } = options;
  const langflowVersion = langflowVersions[release];
  const checkHealth = async ({ response }: Call) => {
    try {
      await withDeadline(
        database.ping(),
        DATABASE_TIMEOUT_MILLISECONDS,
        'the database did not answer in time',
      );
      sendJson(response, 200, { status: 'ok', chat: 'ok', db: 'ok' });
    } catch (error) {
      logger.warn({ error }, 'health check failed');
      sendJson(response, 500, { detail: { status: 'nok', chat: 'ok', db: 'error check the server logs' } });
    }
  };
  const alive = ({ response }: Call) => sendJson(response, 200, { status: 'ok' });
  return [
    publicPage('/health', operations.alive, alive),
    release === '1.11'
      ? publicPage('/healthz', operations.alive, alive)
      : publicPage('/healthz', operations.health, checkHealth),
    publicPage('/health_check', operations.health, checkHealth),
    publicPage('/readyz', operations.ready, async ({ response }) => {
      const readiness = await health.ready();
      sendJsonText(response, readiness.ready ? 200 : 503, redactText(JSON.stringify(readiness)));
    }),
    publicPage('/metrics', operations.metrics, async ({ response }) => {
      const text = await metrics.prometheusText();
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    }),
    publicPage('/api/v1/version', operations.version, ({ response }) =>
      sendJson(response, 200, {
        version: langflowVersion,
        main_version: langflowVersion,
        package: 'Millrace',
        millrace_version: version,
      }),
    ),
    configRoute(options),
    publicPage('/api/v1/session', operations.session, ({ response }) =>
      sendJson(response, 200, { authenticated: false, user: null, store_api_key: null }),
    ),
  ];
}
