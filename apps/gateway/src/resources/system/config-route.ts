import { HttpError } from '@millrace/http';
import type { CallerAuthentication } from '../../http/routing/access';
import { forReading } from '../../http/routing/access';
import { publicPage } from '../../http/routing/route';
import type { RoutedRequest, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import { configSchema } from './health-schemas';

export interface ConfigRouteOptions {
  readonly authenticator: CallerAuthentication;
  readonly maximumBodyBytes: number;
  readonly webhookKeyRequired: boolean;
}

const BYTES_IN_MEGABYTE = 1024 * 1024;
/** Longer values in events and records are cut, as in Langflow. */
const MAXIMUM_ITEMS = 1_000;
const MAXIMUM_TEXT = 6_000;

/** The route with settings for clients, more of them for callers with a key. */
export function configRoute({
  authenticator,
  maximumBodyBytes,
  webhookKeyRequired,
}: ConfigRouteOptions): Route {
  const common = {
    max_file_size_upload: Math.floor(maximumBodyBytes / BYTES_IN_MEGABYTE),
    event_delivery: 'streaming',
    voice_mode_available: false,
    frontend_timeout: 0,
    mcp_base_url: '',
    enable_extension_reload: false,
    authz_enabled: false,
    catalog_governance_enabled: false,
    substitute_outdated_component_code: true,
    allow_custom_components: false,
    feature_flags: {
      wxo_deployments: false,
      mvp_components: false,
      instance_migration: false,
      data_subject_requests: false,
    },
  };
  const further = {
    default_folder_name: 'Starter Project',
    serialization_max_items_length: MAXIMUM_ITEMS,
    serialization_max_text_length: MAXIMUM_TEXT,
    webhook_auth_enable: webhookKeyRequired,
    mcp_servers_locked: false,
    custom_component_admin_only: true,
    a2a_enabled: true,
    blocked_component_types: [],
  };
  const operation = {
    summary: 'Settings for clients',
    answers: { 200: json('Public settings, or with a key further ones', configSchema) },
  };
  return publicPage('/api/v1/config', operation, async ({ request, response }) => {
    const isKnown = await hasKey(authenticator, request);
    sendJson(
      response,
      200,
      isKnown ? { type: 'full', ...common, ...further } : { type: 'public', ...common },
    );
  });
}

/** As in Langflow, a caller whose key is refused is one without a key. */
async function hasKey(authenticator: CallerAuthentication, request: RoutedRequest): Promise<boolean> {
  try {
    await authenticator.authenticate(request, forReading);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}
