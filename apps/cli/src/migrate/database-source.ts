import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { CliError } from '../cli-error';
import type {
  LangflowSource,
  SourceFile,
  SourceFlow,
  SourceKey,
  SourceMessage,
  SourceUser,
  SourceVariable,
  UnmigratedRecords,
} from './source';
import type { Row, SourceDatabase } from './source-database';
import { idOf, idOrNull, isTrue, listOf, objectOr, textOr, textsOf, timeOrNull } from './source-values';

const ROWS_OF_A_PAGE = 500;
/** Flows can have megabytes. */
const FLOWS_OF_A_PAGE = 5;
const EPOCH = new Date(0);
/** The tables of Langflow whose rows the migration does not copy, because Millrace has no counterpart. */
const UNMIGRATED_TABLES: readonly (readonly [table: string, what: string])[] = [
  ['mcp_server', 'MCP servers'],
  ['trigger', 'triggers'],
  ['knowledge_base', 'knowledge bases'],
  ['memory_base', 'memory bases'],
  ['connection', 'connections'],
  ['flow_version', 'earlier versions of flows'],
  ['trace', 'traces'],
  ['authz_share', 'shares of flows'],
];

/** Reads a Langflow database; `folder` is LANGFLOW_CONFIG_DIR with the files, or undefined. */
export function databaseSource(database: SourceDatabase, folder: string | undefined): LangflowSource {
  const table = (name: string, rows = ROWS_OF_A_PAGE) => pagesOf(database, name, rows);
  return {
    title: `the Langflow database ${database.title}`,
    hasSecrets: true,
    async counts() {
      return { flows: await count(database, '"flow"'), messages: await count(database, 'message') };
    },
    async *users() {
      const folders = new Map<string, string>();
      for await (const row of table('folder'))
        if (idOrNull(row['user_id']) !== null && !folders.has(idOf(row['user_id'])))
          folders.set(idOf(row['user_id']), idOf(row['id']));
      for await (const row of table('"user"')) yield userOf(row, folders);
    },
    async *flows() {
      for await (const row of table('"flow"', FLOWS_OF_A_PAGE))
        if (row['user_id'] !== null) yield flowOf(database, row);
    },
    async *keys() {
      for await (const row of table('apikey')) yield keyOf(row);
    },
    async *variables() {
      for await (const row of table('variable')) yield variableOf(database, row);
    },
    async *files() {
      if (folder === undefined) return;
      for await (const row of table('"file"')) yield userFile(folder, row);
      for (const { id, userId } of await flowOwners(database)) yield* flowFiles(folder, id, userId);
    },
    messages: () => messagePages(database),
    async unmigrated() {
      const found: UnmigratedRecords[] = [];
      for (const [name, what] of UNMIGRATED_TABLES) {
        // The query fails for a table that this release of Langflow does not have.
        const rows = await count(database, name).catch(() => 0);
        if (rows > 0) found.push({ what, count: rows });
      }
      return found;
    },
    close: () => database.close(),
  };
}

/** Throws CliError when this is no database of Langflow. */
export async function requireLangflowDatabase(database: SourceDatabase): Promise<void> {
  try {
    await database.rows('SELECT id, username, is_superuser FROM "user" LIMIT 1');
    await database.rows('SELECT id, user_id, data FROM "flow" LIMIT 1');
  } catch (error) {
    throw new CliError(
      'input',
      `${database.title} is not a database of Langflow: it has no users and flows`,
      error,
    );
  }
}

async function count(database: SourceDatabase, name: string): Promise<number> {
  const [row] = await database.rows(`SELECT count(*) AS rows FROM ${name}`);
  return Number(row?.['rows'] ?? 0);
}

/** Yields the rows of a table in the order of their ids. */
async function* pagesOf(database: SourceDatabase, name: string, limit: number): AsyncGenerator<Row> {
  let last: string | null = null;
  for (;;) {
    const page: readonly Row[] =
      last === null
        ? await database.rows(`SELECT * FROM ${name} ORDER BY id LIMIT $1`, [limit])
        : await database.rows(`SELECT * FROM ${name} WHERE id > $2 ORDER BY id LIMIT $1`, [
            limit,
            database.id(last),
          ]);
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < limit) return;
    last = idOf(end['id']);
  }
}

/** Yields pages of messages by time, so that they keep their order. */
async function* messagePages(database: SourceDatabase): AsyncGenerator<readonly SourceMessage[]> {
  const limit = ROWS_OF_A_PAGE;
  const key = 'CAST(timestamp AS TEXT)';
  let last: readonly [string, string] | null = null;
  for (;;) {
    const page: readonly Row[] =
      last === null
        ? await database.rows(`SELECT *, ${key} AS time_key FROM message ORDER BY ${key}, id LIMIT $1`, [
            limit,
          ])
        : await database.rows(
            `SELECT *, ${key} AS time_key FROM message WHERE ${key} > $2 OR (${key} = $2 AND id > $3)
            ORDER BY ${key}, id LIMIT $1`,
            [limit, last[0], database.id(last[1])],
          );
    if (page.length > 0) yield page.map((row) => messageOf(database, row));
    const end = page.at(-1);
    if (end === undefined || page.length < limit) return;
    last = [String(end['time_key']), idOf(end['id'])];
  }
}

async function flowOwners(database: SourceDatabase): Promise<readonly { id: string; userId: string }[]> {
  const rows = await database.rows('SELECT id, user_id FROM "flow" WHERE user_id IS NOT NULL');
  return rows.map((row) => ({ id: idOf(row['id']), userId: idOf(row['user_id']) }));
}

function userOf(row: Row, folders: ReadonlyMap<string, string>): SourceUser {
  const id = idOf(row['id']);
  return {
    id,
    username: textOr(row['username'], id),
    isAdmin: isTrue(row['is_superuser']),
    isActive: isTrue(row['is_active']),
    createdAt: timeOrNull(row['create_at']) ?? EPOCH,
    folderId: folders.get(id) ?? null,
  };
}

function flowOf(database: SourceDatabase, row: Row): SourceFlow {
  const id = idOf(row['id']);
  const flags = ['is_component', 'webhook', 'locked', 'mcp_enabled', 'a2a_enabled'];
  const members = [
    'icon',
    'icon_bg_color',
    'gradient',
    'action_name',
    'action_description',
    'access_type',
    'flow_type',
  ];
  const given = Object.fromEntries([
    ...flags.flatMap((name) => (row[name] == null ? [] : [[name, isTrue(row[name])]])),
    ...members.flatMap((name) => (row[name] == null ? [] : [[name, row[name]]])),
  ]) as Record<string, unknown>;
  return {
    id,
    userId: idOf(row['user_id']),
    updatedAt: timeOrNull(row['updated_at']) ?? EPOCH,
    body: {
      ...given,
      id,
      name: textOr(row['name'], id),
      description: textOr(row['description'], null),
      endpoint_name: textOr(row['endpoint_name'], null),
      data: database.json(row['data']),
      tags: database.json(row['tags']) ?? null,
      folder_id: idOrNull(row['folder_id']),
    },
  };
}

function keyOf(row: Row): SourceKey {
  return {
    id: idOf(row['id']),
    userId: idOf(row['user_id']),
    name: textOr(row['name'], null),
    storedKey: textOr(row['api_key'], null),
    hash: textOr(row['api_key_hash'], null),
    isActive: isTrue(row['is_active']),
    createdAt: timeOrNull(row['created_at']) ?? EPOCH,
    lastUsedAt: timeOrNull(row['last_used_at']),
    totalUses: Number(row['total_uses'] ?? 0),
    expiresAt: timeOrNull(row['expires_at']),
  };
}

function variableOf(database: SourceDatabase, row: Row): SourceVariable {
  const createdAt = timeOrNull(row['created_at']) ?? EPOCH;
  return {
    id: idOf(row['id']),
    userId: idOf(row['user_id']),
    name: textOr(row['name'], ''),
    type: textOr(row['type'], null),
    storedValue: textOr(row['value'], null),
    defaultFields: textsOf(database.json(row['default_fields'])),
    createdAt,
    updatedAt: timeOrNull(row['updated_at']) ?? createdAt,
  };
}

function messageOf(database: SourceDatabase, row: Row): SourceMessage {
  return {
    id: idOf(row['id']),
    flowId: idOrNull(row['flow_id']),
    runId: idOrNull(row['run_id']),
    timestamp: timeOrNull(row['timestamp']) ?? EPOCH,
    sender: textOr(row['sender'], ''),
    senderName: textOr(row['sender_name'], ''),
    sessionId: textOr(row['session_id'], ''),
    contextId: textOr(row['context_id'], ''),
    text: textOr(row['text'], ''),
    files: textsOf(database.json(row['files'])),
    error: isTrue(row['error']),
    edit: isTrue(row['edit']),
    properties: objectOr(database.json(row['properties']), {}),
    category: textOr(row['category'], 'message'),
    contentBlocks: listOf(database.json(row['content_blocks'])),
    sessionMetadata: objectOr(database.json(row['session_metadata']), null),
  };
}

/** A file of a user; its content is below the folder, by the path of its row. */
function userFile(folder: string, row: Row): SourceFile {
  const path = textOr(row['path'], '');
  return {
    userId: idOf(row['user_id']),
    flowId: null,
    name: basename(path),
    open: () => opened(folder, path),
  };
}

/** The files of a flow, which have no rows. */
function* flowFiles(folder: string, flowId: string, userId: string): Generator<SourceFile> {
  const own = join(folder, flowId);
  if (statSync(own, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const entry of readdirSync(own, { withFileTypes: true }))
    if (entry.isFile())
      yield { userId, flowId, name: entry.name, open: () => opened(folder, join(flowId, entry.name)) };
}

async function opened(folder: string, path: string): Promise<AsyncIterable<Buffer>> {
  const file = resolve(folder, path);
  if (!file.startsWith(resolve(folder) + sep)) throw new Error('its path is outside of the folder of files');
  // Fails now, not while it is read.
  await (await open(file)).close();
  return createReadStream(file);
}
