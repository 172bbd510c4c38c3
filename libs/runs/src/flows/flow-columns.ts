/** The columns of a FlowRecord, from flows joined with their current version. */
export const FLOW_COLUMNS = `flows.id, flows.user_id AS "userId", flows.name, flows.description,
  flows.endpoint_name AS "endpointName", flows.version, flow_versions.document, flows.settings, flows.attributes,
  flows.is_component AS "isComponent", flows.webhook, flows.created_at AS "createdAt",
  flows.updated_at AS "updatedAt", flows.folder_id AS "folderId",
  flows.version_token AS "versionToken"`;
