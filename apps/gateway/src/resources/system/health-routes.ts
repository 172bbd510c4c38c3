import {
  aliveSchema,
  healthySchema,
  publicConfigSchema,
  readinessSchema,
  unhealthySchema,
  versionSchema,
} from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { redactText, version, withDeadline } from '@millrace/service';
import type { Health, Logger, Metrics } from '@millrace/service';
import { publicPage } from '../../http/route';
import type { Route } from '../../http/route';
import { sendJson, sendJsonText } from '../../http/send-json';
import { json } from '../../openapi/operation';
import type { Operation } from '../../openapi/operation';

const DATABASE_TIMEOUT_MILLISECONDS = 2_000;
/** The Langflow version that this interface is compatible with; clients check it. */
const COMPATIBLE_VERSION = '1.11.0';
const BYTES_IN_MEGABYTE = 1024 * 1024;

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
  config: {
    summary: 'Settings for clients',
    answers: { 200: json('Public settings', publicConfigSchema) },
  },
} as const satisfies Record<string, Operation>;

export interface HealthRoutesOptions {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly logger: Logger;
  readonly maximumBodyBytes: number;
}

/** Routes for probes, metrics scrapers and client start-up. */
export function healthRoutes(options: HealthRoutesOptions): readonly Route[] {
  const { health, metrics, database, logger, maximumBodyBytes } = options;
  return [
    publicPage('/health', operations.alive, ({ response }) => sendJson(response, 200, { status: 'ok' })),
    publicPage('/healthz', operations.alive, ({ response }) => sendJson(response, 200, { status: 'ok' })),
    publicPage('/health_check', operations.health, async ({ response }) => {
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
    }),
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
        version: COMPATIBLE_VERSION,
        main_version: COMPATIBLE_VERSION,
        package: 'Millrace',
        millrace_version: version,
      }),
    ),
    publicPage('/api/v1/config', operations.config, ({ response }) =>
      sendJson(response, 200, {
        type: 'public',
        max_file_size_upload: Math.floor(maximumBodyBytes / BYTES_IN_MEGABYTE),
        event_delivery: 'streaming',
        default_folder_name: 'Starter Project',
      }),
    ),
  ];
}
