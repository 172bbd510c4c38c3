import { mcpServerBodySchema } from './mcp-server-body';
import { mcpServerSchema, mcpServersSchema } from './mcp-server-schemas';
import type { McpServerBody } from './mcp-server-body';
import { checkCommand, maskedConfig, restoredConfig, withoutName } from './mcp-server-config';
import { HttpError } from '@millrace/http';
import type { AuditLog, McpServerConfig, McpServerStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { booleanParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const maximumNameCharacters = 200;
const maximumConfigCharacters = 65_536;
const check = createValidator(mcpServerBodySchema);
const operations = {
  list: {
    summary: 'List MCP servers',
    query: {
      action_count: queryParameter('boolean', 'Accepted without effect: only flows connect to the servers'),
    },
    answers: { 200: json('The servers', mcpServersSchema) },
  },
  find: {
    summary: 'Read the configuration of an MCP server',
    answers: {
      200: json(
        'The stored configuration, its credentials masked; null when there is no server of that name',
        mcpServerSchema,
      ),
    },
  },
  create: {
    summary: 'Create an MCP server that flows can refer to',
    body: jsonBody(mcpServerBodySchema),
    answers: { 200: json('The stored configuration', mcpServerSchema) },
    errors: ['duplicate', 'invalid_value'],
  },
  save: {
    summary: 'Change members of an MCP server',
    body: jsonBody(mcpServerBodySchema),
    answers: { 200: json('The stored configuration', mcpServerSchema) },
    errors: ['invalid_value', 'not_found'],
  },
  remove: {
    summary: 'Delete an MCP server',
    answers: { 200: json('null', { type: 'null' }) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

export interface McpServerRoutesOptions {
  readonly mcpServers: McpServerStore;
  readonly audit: AuditLog;
  readonly release: LangflowRelease;
}

/** Routes for the MCP servers of a user, which flows refer to by name. */
export function mcpServerRoutes({ mcpServers, audit, release }: McpServerRoutesOptions): readonly Route[] {
  const isOld = release === '1.11';
  const shown = (config: McpServerConfig | null) =>
    isOld || config === null ? config : maskedConfig(config);
  const configFrom = ({ request, body }: KeyedCall): McpServerConfig => {
    const config = configOf(body);
    if (isOld) return config;
    checkCommand(config);
    return withoutName(config, serverName(request));
  };
  const list = async ({ query, response, principal }: KeyedCall) => {
    if (!isOld) booleanParameter(query, 'action_count', false);
    const names = await mcpServers.names(principal.userId);
    sendJson(
      response,
      200,
      names.map((name) => ({ name, mode: null, toolsCount: null })),
    );
  };
  const find = async ({ request, response, principal }: KeyedCall) => {
    sendJson(response, 200, shown(await mcpServers.find(principal.userId, serverName(request))));
  };
  const create = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const given = configFrom(call);
    const config = isOld ? given : restoredConfig(given, null);
    const name = storableName(request);
    const storing = audit.change(actorOf(call), async (change) => {
      await mcpServers.within(change).create(principal.userId, name, config);
      change.note({ action: 'mcp_server.created', objectId: name });
    });
    await refuseDuplicate('Server already exists.', storing, isOld ? 400 : 409);
    sendJson(response, 200, shown(config));
  };
  const save = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const given = configFrom(call);
    const name = storableName(request);
    const saved = await audit.change(actorOf(call), async (change) => {
      const servers = mcpServers.within(change);
      const config = isOld ? given : merged(await servers.find(principal.userId, name), given);
      await servers.save(principal.userId, name, config);
      change.note({ action: 'mcp_server.saved', objectId: name });
      return config;
    });
    sendJson(response, 200, shown(saved));
  };
  const remove = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const name = serverName(request);
    const isDeleted = await audit.change(actorOf(call), async (change) => {
      const isDeleted = await mcpServers.within(change).delete(principal.userId, name);
      if (isDeleted) change.note({ action: 'mcp_server.deleted', objectId: name });
      return isDeleted;
    });
    if (!isDeleted) throw new HttpError('not_found', 'Server not found.');
    sendJson(response, 200, null);
  };
  const all = { access: forManagement, path: '/api/v2/mcp/servers' } as const;
  const one = { access: forManagement, path: '/api/v2/mcp/servers/:server_name' } as const;
  return [
    { ...all, method: 'GET', operation: operations.list, handle: list },
    { ...one, method: 'GET', operation: operations.find, handle: find },
    { ...one, method: 'POST', body: 'json', operation: operations.create, handle: create },
    { ...one, method: 'PATCH', body: 'json', operation: operations.save, handle: save },
    { ...one, method: 'DELETE', operation: operations.remove, handle: remove },
  ];
}

function merged(stored: McpServerConfig | null, given: McpServerConfig): McpServerConfig {
  if (stored === null) throw new HttpError('not_found', 'Server not found.');
  return { ...stored, ...restoredConfig(given, stored) };
}

function serverName(request: KeyedCall['request']): string {
  return pathParameter(request, 'server_name');
}

function storableName(request: KeyedCall['request']): string {
  const name = serverName(request);
  if (name.length <= maximumNameCharacters) return name;
  throw new HttpError('invalid_value', `The name is longer than ${maximumNameCharacters} characters.`);
}

function configOf(body: unknown): McpServerConfig {
  check(requireBody(body));
  const config = body as McpServerBody;
  if (JSON.stringify(config).length <= maximumConfigCharacters) return config;
  throw new HttpError(
    'invalid_value',
    `The configuration is longer than ${maximumConfigCharacters} characters.`,
  );
}
