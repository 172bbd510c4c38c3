import { closedObject, flag, listOf, orNull, text, uuid } from '@millrace/messages';
import { HttpError } from '@millrace/http';
import type { FlowRecord } from '@millrace/runs';
import { authorOf } from '../../authentication/author-of';
import { sendJson } from '../../http/answers/send-json';
import { forMcp } from '../../http/routing/access';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { booleanParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import type { ValueOf } from '../../http/validation/body-schema';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { mcpName } from '../mcp/mcp-name';
import { refuseOtherSettings } from './project-service';
import type { ProjectServiceOptions } from './project-service';

const MAXIMUM_FLOWS = 1000;
/** The project's MCP addresses require the API key; the other members are of ways that do not exist here. */
const AUTH_SETTINGS = {
  auth_type: 'apikey',
  oauth_host: null,
  oauth_port: null,
  oauth_server_url: null,
  oauth_callback_path: null,
  oauth_callback_url: null,
  oauth_client_id: null,
  oauth_client_secret: null,
  oauth_auth_url: null,
  oauth_token_url: null,
  oauth_mcp_scope: null,
  oauth_provider_scope: null,
};
const SERVER_NAME_LENGTH = 26;

const optionalText = { type: ['string', 'null'] } as const;
const settingsSchema = {
  type: 'object',
  'x-model': true,
  required: ['settings'],
  properties: {
    settings: {
      type: 'array',
      maxItems: MAXIMUM_FLOWS,
      items: {
        type: 'object',
        'x-model': true,
        required: ['id'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          mcp_enabled: { 'x-flag': 'optional' },
          action_name: optionalText,
          action_description: optionalText,
          name: optionalText,
          description: optionalText,
        },
      },
    },
    auth_settings: { type: ['object', 'null'] },
  },
} as const;
const checkSettings = createValidator(settingsSchema);

const operations = {
  read: {
    summary: 'List the flows of a project as tools of the Model Context Protocol',
    query: {
      mcp_enabled: queryParameter('boolean', 'False also lists flows that are no tools; default true'),
    },
    answers: {
      200: json(
        'The tools',
        closedObject({
          tools: listOf(
            closedObject({
              id: uuid,
              mcp_enabled: flag,
              action_name: text,
              action_description: text,
              name: text,
              description: orNull(text),
            }),
          ),
          auth_settings: orNull(
            closedObject(Object.fromEntries(Object.keys(AUTH_SETTINGS).map((name) => [name, orNull(text)]))),
          ),
          server_name: text,
        }),
      ),
    },
    errors: ['not_found'],
  },
  change: {
    summary: 'Change which flows of a project are tools, and their names and descriptions',
    body: jsonBody(settingsSchema),
    answers: { 200: json('How many flows were changed', closedObject({ message: text })) },
    errors: ['not_found', 'invalid_value'],
  },
} as const;

/** Routes for the settings of a project's flows as tools. */
export function projectToolRoutes({ projects, flows, flowService }: ProjectServiceOptions): readonly Route[] {
  const flowsOf = async (userId: string, folderId: string): Promise<readonly FlowRecord[]> => {
    const ids = await flows.ids(userId, { folderId });
    return flows.findMany(userId, ids.slice(0, MAXIMUM_FLOWS));
  };
  const read = async ({ request, response, query, principal: { userId } }: KeyedCall) => {
    const [id, onlyTools] = collectValidationErrors(
      () => projectId(request),
      () => booleanParameter(query, 'mcp_enabled', true),
    );
    const project = await projects.find(userId, id);
    if (project === null) throw new HttpError('not_found', 'Project not found');
    const tools = (await flowsOf(userId, id)).filter(
      ({ isComponent, attributes }) => !isComponent && !(onlyTools && attributes['mcp_enabled'] !== true),
    );
    const server = mcpName(project.name).slice(0, SERVER_NAME_LENGTH);
    sendJson(response, 200, {
      tools: tools.map(toolView),
      // Langflow's default project has no settings, which means the same.
      auth_settings: project.isDefault ? null : AUTH_SETTINGS,
      server_name: `lf-${server}`,
    });
  };
  const change = async (call: KeyedCall) => {
    const { userId } = call.principal;
    const [id] = collectValidationErrors(
      () => projectId(call.request),
      () => checkSettings(requireBody(call.body)),
    );
    const { settings, auth_settings: auth } = call.body as ValueOf<typeof settingsSchema>;
    if ((await projects.find(userId, id)) === null) throw new HttpError('not_found', 'Project not found');
    refuseOtherSettings(auth);
    const wanted = new Map(settings.map((one) => [normalizeUuid(one.id) ?? one.id, one]));
    let changed = 0;
    for (const flow of await flowsOf(userId, id)) {
      const given = wanted.get(flow.id);
      if (given === undefined) continue;
      await flowService.update(
        authorOf(call),
        flow.id,
        {
          // Null would leave a member as it is.
          mcp_enabled: given.mcp_enabled ?? false,
          action_name: given.action_name ?? '',
          action_description: given.action_description ?? '',
        },
        { expectedVersionToken: undefined, mergesSettings: true },
      );
      changed += 1;
    }
    sendJson(call.response, 200, {
      message: `Updated MCP settings for ${changed} flows and project auth settings`,
    });
  };
  const path = '/api/v1/mcp/project/:project_id';
  return [
    keyedRoute(`GET ${path}`, forMcp, operations.read, read),
    jsonRoute(`PATCH ${path}`, { ...forMcp, scope: 'manage' }, operations.change, change),
  ];
}

function toolView({ id, name, description, attributes }: FlowRecord) {
  const { mcp_enabled, action_name, action_description } = attributes;
  const own = mcpName(name);
  return {
    id,
    mcp_enabled: mcp_enabled === true,
    action_name: typeof action_name === 'string' && action_name !== '' ? mcpName(action_name) : own,
    action_description: action_description || description || `Tool generated from flow: ${own}`,
    name,
    description,
  };
}

function projectId(request: KeyedCall['request']): string {
  return parseUuidStrictly(pathParameter(request, 'project_id'), ['path', 'project_id']);
}
