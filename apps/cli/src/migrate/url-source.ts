import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { MillraceClient } from '../client/millrace-client';
import type { LangflowSource, SourceKey, SourceMessage, SourceUser, SourceVariable } from './source';
import { idOf, idOrNull, isTrue, listOf, objectOr, textOr, textsOf, timeOrNull } from './source-values';

type Row = Readonly<Record<string, unknown>>;
const EPOCH = new Date(0);
const ROWS_OF_A_PAGE = 500;
/** The longest list of messages that Langflow 1.13 gives. */
const LISTED_MESSAGES = 200;

/** Reads a Langflow over HTTP: the records of the user of the key, without keys and secret values. */
export function urlSource(api: MillraceClient): LangflowSource {
  const list = async (path: string, query = {}) =>
    listOf(await api.json<unknown>(path, { query })) as readonly Row[];
  const user = async () => api.json<Row>('/api/v1/users/whoami');
  const headers = () => list('/api/v1/flows/', { get_all: true, header_flows: true });
  const ownFlows = async () => {
    const userId = idOf((await user())['id']);
    const found = await headers();
    return { userId, ids: found.map((row) => idOf(row['id'])) };
  };
  return {
    title: `the Langflow at ${api.url}`,
    hasSecrets: false,
    counts: async () => ({ flows: (await headers()).length, messages: 0 }),
    async *users() {
      const row = await user();
      const projects = await list('/api/v1/projects/').catch(() => []);
      yield userOf(row, projects[0]);
    },
    async *flows() {
      const { userId, ids } = await ownFlows();
      for (const id of ids) {
        const body = await api.json<Row>(`/api/v1/flows/${id}`);
        // Examples of Langflow belong to no user.
        if (idOrNull(body['user_id']) !== userId) continue;
        const updatedAt = timeOrNull(body['updated_at']) ?? EPOCH;
        yield { id, userId, updatedAt, body: { ...body, name: textOr(body['name'], id) } };
      }
    },
    async *keys() {
      const userId = idOf((await user())['id']);
      const { api_keys: keys } = await api.json<{ api_keys?: readonly Row[] }>('/api/v1/api_key/');
      for (const row of keys ?? []) yield keyOf(row, userId);
    },
    async *variables() {
      const userId = idOf((await user())['id']);
      for (const row of await list('/api/v1/variables/')) yield variableOf(row, userId);
    },
    async *files() {
      const userId = idOf((await user())['id']);
      for (const row of await list('/api/v2/files')) {
        const id = idOf(row['id']);
        const name = textOr(row['path'], '').split('/').at(-1) ?? id;
        yield { userId, flowId: null, name, open: () => download(api, `/api/v2/files/${id}`) };
      }
      for (const id of (await ownFlows()).ids) {
        const { files } = await api
          .json<{ files?: unknown }>(`/api/v1/files/list/${id}`)
          .catch(() => ({ files: [] }));
        for (const name of textsOf(files))
          yield {
            userId,
            flowId: id,
            name,
            open: () => download(api, `/api/v1/files/download/${id}/${encodeURIComponent(name)}`),
          };
      }
    },
    async *messages() {
      // Langflow lists a part of the newest messages: those of one flow are in memory at a time, to come in their order.
      for (const id of (await ownFlows()).ids) {
        const rows = (await newestMessages(list, id)).reverse();
        for (let start = 0; start < rows.length; start += ROWS_OF_A_PAGE)
          yield rows.slice(start, start + ROWS_OF_A_PAGE).map((row) => messageOf(row, id));
      }
    },
    unmigrated: async () => [],
    close: async () => undefined,
  };
}

/** Reads the messages of a flow. A server that knows no pages answers with all of them, also to the request for a second one. */
async function newestMessages(
  list: (path: string, query: object) => Promise<readonly Row[]>,
  flow_id: string,
): Promise<Row[]> {
  const found = new Map<unknown, Row>();
  const query = { flow_id, order_by: 'timestamp', order: 'DESC', limit: LISTED_MESSAGES };
  for (;;) {
    const offset = found.size;
    const page = await list('/api/v1/monitor/messages', { ...query, offset });
    for (const row of page) found.set(row['id'], row);
    if (page.length < LISTED_MESSAGES || found.size === offset) return [...found.values()];
  }
}

function userOf(row: Row, project: Row | undefined): SourceUser {
  return {
    id: idOf(row['id']),
    username: textOr(row['username'], ''),
    isAdmin: isTrue(row['is_superuser']),
    isActive: true,
    createdAt: timeOrNull(row['create_at']) ?? EPOCH,
    folderId: idOrNull(project?.['id']),
  };
}

function keyOf(row: Row, userId: string): SourceKey {
  return {
    id: idOf(row['id']),
    userId,
    name: textOr(row['name'], null),
    // Masked: Langflow shows a key only once.
    storedKey: null,
    hash: null,
    isActive: isTrue(row['is_active']),
    createdAt: timeOrNull(row['created_at']) ?? EPOCH,
    lastUsedAt: timeOrNull(row['last_used_at']),
    totalUses: Number(row['total_uses'] ?? 0),
    expiresAt: timeOrNull(row['expires_at']),
  };
}

function variableOf(row: Row, userId: string): SourceVariable {
  return {
    id: idOf(row['id']),
    userId,
    name: textOr(row['name'], ''),
    type: textOr(row['type'], null),
    storedValue: row['type'] === 'Generic' ? textOr(row['value'], null) : null,
    defaultFields: textsOf(row['default_fields']),
    createdAt: EPOCH,
    updatedAt: EPOCH,
  };
}

function messageOf(row: Row, flowId: string): SourceMessage {
  return {
    id: idOf(row['id']),
    flowId,
    runId: idOrNull(row['run_id']),
    timestamp: timeOrNull(row['timestamp']) ?? EPOCH,
    sender: textOr(row['sender'], ''),
    senderName: textOr(row['sender_name'], ''),
    sessionId: textOr(row['session_id'], ''),
    contextId: textOr(row['context_id'], ''),
    text: textOr(row['text'], ''),
    files: textsOf(parsed(row['files'])),
    error: isTrue(row['error']),
    edit: isTrue(row['edit']),
    properties: objectOr(parsed(row['properties']), {}),
    category: textOr(row['category'], 'message'),
    contentBlocks: listOf(parsed(row['content_blocks'])),
    sessionMetadata: objectOr(parsed(row['session_metadata']), null),
  };
}

/** Some members are JSON texts in some releases. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

async function download(api: MillraceClient, path: string): Promise<AsyncIterable<Buffer>> {
  const { body } = await api.answer(path, { deadlineMilliseconds: 600_000 });
  return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream<Uint8Array>);
}
