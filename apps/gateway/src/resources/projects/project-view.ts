import type { ProjectRecord } from '@millrace/runs';

/** Returns a project in Langflow's shape. The settings say what MCP addresses require: the API key, always. */
export function projectView({ id, name, description, parentId, isDefault }: ProjectRecord) {
  return {
    name,
    description,
    // Langflow's default project has no settings, which means the same.
    auth_settings: isDefault ? null : { auth_type: 'apikey' },
    id,
    parent_id: parentId,
  };
}
