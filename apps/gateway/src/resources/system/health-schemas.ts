import { anyObject, closedObject, flag, integer, listOf, text, namedObject } from '@millrace/messages';

/** The process is alive. */
export const aliveSchema = namedObject('Alive', { status: { const: 'ok' } });

/** The process and its database are available. */
export const healthySchema = namedObject('Healthy', { status: text, chat: text, db: text });

export const unhealthySchema = namedObject('Unhealthy', { detail: healthySchema });

/** Whether the process can accept requests, with the result of each check. */
export const readinessSchema = namedObject('Readiness', { ready: flag, checks: anyObject });

export const versionSchema = namedObject('Version', {
  version: text,
  main_version: text,
  package: text,
  millrace_version: text,
});

const publicMembers = {
  max_file_size_upload: integer,
  event_delivery: text,
  voice_mode_available: flag,
  frontend_timeout: integer,
  mcp_base_url: text,
  enable_extension_reload: flag,
  authz_enabled: flag,
  catalog_governance_enabled: flag,
  substitute_outdated_component_code: flag,
  allow_custom_components: flag,
  feature_flags: anyObject,
};

/** Settings, more of them for a caller with a key. */
export const configSchema = {
  anyOf: [
    closedObject({ type: { const: 'public' }, ...publicMembers }),
    closedObject({
      type: { const: 'full' },
      ...publicMembers,
      default_folder_name: text,
      serialization_max_items_length: integer,
      serialization_max_text_length: integer,
      webhook_auth_enable: flag,
      mcp_servers_locked: flag,
      custom_component_admin_only: flag,
      a2a_enabled: flag,
      blocked_component_types: listOf(text),
    }),
  ],
};

/** The session of Langflow's editor, which a caller with an API key does not have. */
export const editorSessionSchema = namedObject('EditorSession', {
  authenticated: { const: false },
  user: { type: 'null' },
  store_api_key: { type: 'null' },
});
