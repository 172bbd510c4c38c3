import type { Database } from '@millrace/database';
import { redactText, withDeadline } from '@millrace/service';
import type { Health, Logger, Metrics } from '@millrace/service';
import type { Route } from '../http/route';
import { sendJson, sendJsonText } from '../http/send-json';
import { version } from '../version';

const DATABASE_TIMEOUT_MILLISECONDS = 2_000;
/** The interface this one is compatible with; clients compare it. */
const COMPATIBLE_VERSION = '1.11.0';
const BYTES_IN_MEGABYTE = 1024 * 1024;

export interface HealthRoutesOptions {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly logger: Logger;
  readonly maximumBodyBytes: number;
}

/** What probes, scrapers and clients ask before anything else. */
export function healthRoutes(options: HealthRoutesOptions): readonly Route[] {
  const { health, metrics, database, logger, maximumBodyBytes } = options;
  return [
    get('/health', ({ response }) => sendJson(response, 200, { status: 'ok' })),
    get('/healthz', ({ response }) => sendJson(response, 200, { status: 'ok' })),
    get('/health_check', async ({ response }) => {
      try {
        await withDeadline(
          database.ping(),
          DATABASE_TIMEOUT_MILLISECONDS,
          'the database did not answer in time',
        );
        sendJson(response, 200, { status: 'ok', chat: 'ok', db: 'ok' });
      } catch (error) {
        logger.warn({ error }, 'the health check failed');
        sendJson(response, 500, { detail: { status: 'nok', chat: 'ok', db: 'error check the server logs' } });
      }
    }),
    get('/readyz', async ({ response }) => {
      const readiness = await health.ready();
      sendJsonText(response, readiness.ready ? 200 : 503, redactText(JSON.stringify(readiness)));
    }),
    get('/metrics', async ({ response }) => {
      const text = await metrics.prometheusText();
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    }),
    get('/api/v1/version', ({ response }) =>
      sendJson(response, 200, {
        version: COMPATIBLE_VERSION,
        main_version: COMPATIBLE_VERSION,
        package: 'Millrace',
        millrace_version: version,
      }),
    ),
    get('/api/v1/config', ({ response }) =>
      sendJson(response, 200, {
        type: 'public',
        max_file_size_upload: Math.floor(maximumBodyBytes / BYTES_IN_MEGABYTE),
        event_delivery: 'streaming',
        default_folder_name: 'Starter Project',
      }),
    ),
  ];
}

function get(path: string, handle: Extract<Route, { access: 'public' }>['handle']): Route {
  return { method: 'GET', path, access: 'public', handle };
}
