import { AuditLog, FileStore, fileName, hashApiKey, ImportStore, systemActor } from '@millrace/runs';
import type { AuditedChange, AuditEvent, ImportedMessage, Scope } from '@millrace/runs';
import { newFlowFromBody } from '@millrace/gateway';
import { unstorableCharacterWithin } from '@millrace/http';
import { reasonOf } from '../client/reason-of';
import type { FlowChecker } from '../flows/flow-checker';
import type { LangflowSecrets } from './fernet';
import { isFernetToken } from './fernet';
import { MigrationReport } from './migration-report';
import type {
  LangflowSource,
  SourceFile,
  SourceFlow,
  SourceKey,
  SourceMessage,
  SourceUser,
  SourceVariable,
} from './source';
import type { MigrationTarget } from './target';

const PREFIX_CHARACTERS = 10;
const SCOPES: readonly Scope[] = ['run', 'manage'];
const ADMIN_SCOPES: readonly Scope[] = [...SCOPES, 'admin'];

export interface MigrateOptions {
  readonly source: LangflowSource;
  readonly target: MigrationTarget;
  readonly secrets: LangflowSecrets;
  readonly isDryRun: boolean;
  /** Flows are reported with Python switched on. */
  readonly checker: FlowChecker;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** A user of the source, and the user of the target that has its records. */
interface MappedUser extends SourceUser {
  readonly targetId: string;
}

/**
 * Moves the records of a Langflow, each in a transaction of its own (messages: a page) with its entry in the audit log. A
 * record whose id is stored is left unchanged: repeated after an interruption, the migration continues.
 */
export class Migration {
  readonly report = new MigrationReport();
  readonly #options: MigrateOptions;
  readonly #audit: AuditLog;
  readonly #store: ImportStore;
  readonly #files: FileStore;
  readonly #users = new Map<string, MappedUser>();
  /** The users of the moved flows: messages of others have no flow. */
  readonly #flowOwners = new Map<string, string>();

  constructor(options: MigrateOptions) {
    const { database, objects, encryption, logger } = options.target;
    this.#options = options;
    this.#audit = new AuditLog({ database, logger });
    this.#store = new ImportStore({ database, encryption });
    this.#files = new FileStore({ database, objects });
  }

  async run(): Promise<MigrationReport> {
    const { source } = this.#options;
    for await (const user of source.users())
      await this.#storable('users', user.username, user, () => this.#user(user));
    for await (const flow of source.flows())
      await this.#storable('flows', flow.body.name, flow, () => this.#flow(flow));
    for await (const key of source.keys())
      await this.#storable('keys', key.name ?? key.id, key, () => this.#key(key));
    for await (const variable of source.variables())
      await this.#storable('variables', variable.name, variable, () => this.#variable(variable));
    for await (const file of source.files()) await this.#step(() => this.#file(file), 'files');
    for await (const page of source.messages()) await this.#step(() => this.#messages(page), 'messages');
    return this.report;
  }

  /** Skips a record with a text that cannot be stored. */
  #storable(
    kind: keyof MigrationReport['counts'],
    name: string,
    record: unknown,
    move: () => Promise<void>,
  ): Promise<void> {
    const found = unstorableCharacterWithin(record);
    return this.#step(async () => {
      if (found === null) await move();
      else this.report.skip(kind, name, `it contains a character that cannot be stored (${found})`);
    }, kind);
  }

  async #step(move: () => Promise<void>, kind: keyof MigrationReport['counts']): Promise<void> {
    this.#options.signal.throwIfAborted();
    await move();
    const { moved, present } = this.report.counts[kind];
    this.#options.progress(`${kind}: ${moved} moved, ${present} present`);
  }

  async #user(user: SourceUser): Promise<void> {
    const stored = await this.#store.userId(user);
    this.#users.set(user.id, { ...user, targetId: stored ?? user.id });
    if (!user.isActive)
      this.report.note('users', user.username, 'is inactive in Langflow: its keys are moved as inactive');
    if (stored !== null) {
      if (stored !== user.id)
        this.report.note(
          'users',
          user.username,
          'exists here with another id and gets the records of this user',
        );
      return this.report.count('users', 'present');
    }
    const { id, username, isAdmin, createdAt, folderId } = user;
    const added = await this.#write({ action: 'user.created', objectId: id, objectName: username }, (store) =>
      store.addUser({ id, username, isAdmin, createdAt, folderId: folderId ?? id }),
    );
    this.report.count('users', added ? 'moved' : 'present');
  }

  async #flow({ id, userId, updatedAt, body }: SourceFlow): Promise<void> {
    const { name } = body;
    const user = this.#users.get(userId);
    if (user === undefined) return this.report.skip('flows', name, 'its user does not exist');
    // Files are named by the id of their user.
    const data = renamed(body['data'], user);
    this.report.addFlow(id, name, this.#options.checker.check(data ?? { nodes: [], edges: [] }, id));
    const owner = await this.#store.flowOwner(id);
    if (owner !== null && owner !== user.targetId)
      return this.report.skip('flows', name, 'another user of Millrace has a flow with its id');
    this.#flowOwners.set(id, user.targetId);
    if (owner !== null) return this.report.count('flows', 'present');
    const flow = {
      ...newFlowFromBody({ ...body, data } as Parameters<typeof newFlowFromBody>[0]),
      id,
      updatedAt,
    };
    const detail = { version: 1, migrated: true };
    const added = await this.#write(
      { action: 'flow.created', objectId: id, objectName: name, detail },
      async (store) => (await store.addFlow(user.targetId, flow)) === 'added',
    );
    this.report.count('flows', added ? 'moved' : 'present');
  }

  async #key(key: SourceKey): Promise<void> {
    const name = key.name ?? key.id;
    const user = this.#users.get(key.userId);
    if (user === undefined) return this.report.skip('keys', name, 'its user does not exist');
    const label = `${name} of ${user.username}`;
    const plain = key.storedKey === null ? undefined : this.#options.secrets.read(key.storedKey);
    const keyHash = plain === undefined ? key.hash : hashApiKey(plain);
    if (keyHash === null)
      return this.report.skip(
        'keys',
        label,
        'its value cannot be read here: create a new key, or use the database',
      );
    if ((await this.#store.stored('api_keys', [key.id])).size > 0)
      return this.report.count('keys', 'present');
    const imported = {
      ...key,
      userId: user.targetId,
      keyHash,
      prefix: (plain ?? 'sk-').slice(0, PREFIX_CHARACTERS),
      scopes: user.isAdmin ? ADMIN_SCOPES : SCOPES,
      isActive: key.isActive && user.isActive,
    };
    const detail = { user_id: user.targetId, scopes: imported.scopes, migrated: true };
    const event = { action: 'key.created', objectId: key.id, objectName: key.name, detail } as const;
    const added = await this.#write(event, (store) => store.addKey(imported));
    this.report.count('keys', added ? 'moved' : 'present');
  }

  async #variable(variable: SourceVariable): Promise<void> {
    const user = this.#users.get(variable.userId);
    if (user === undefined) return this.report.skip('variables', variable.name, 'its user does not exist');
    const label = `${variable.name} of ${user.username}`;
    const { storedValue } = variable;
    if (storedValue === null)
      return this.report.skip(
        'variables',
        label,
        'its value cannot be read here: set it again, or use the database',
      );
    const value = this.#options.secrets.read(storedValue);
    if (value === undefined)
      return this.report.skip('variables', label, 'the secret key does not decrypt its value');
    if (value === '') return this.report.skip('variables', label, 'its value is empty');
    if ((await this.#store.stored('variables', [variable.id])).size > 0)
      return this.report.count('variables', 'present');
    const { id, name, type } = variable;
    const event = {
      action: 'variable.created',
      objectId: id,
      objectName: name,
      detail: { type, migrated: true },
    } as const;
    const added = await this.#write(event, (store) =>
      store.addVariable({ ...variable, userId: user.targetId, value }),
    );
    this.report.count('variables', added ? 'moved' : 'present');
  }

  async #file(file: SourceFile): Promise<void> {
    const user = this.#users.get(file.userId);
    if (user === undefined) return this.report.skip('files', file.name, 'its user does not exist');
    const { flowId } = file;
    const named = fileName(file.name);
    const path = `${flowId ?? user.targetId}/${named.name}${named.extension}`;
    if (flowId !== null && this.#flowOwners.get(flowId) === undefined)
      return this.report.skip('files', path, 'its flow was not moved');
    if ((await this.#files.findByPath(user.targetId, path)) !== null)
      return this.report.count('files', 'present');
    try {
      const content = await file.open();
      if (!this.#options.isDryRun) await this.#receive({ userId: user.targetId, flowId, ...named }, content);
      this.report.count('files', 'moved');
    } catch (error) {
      this.report.skip('files', path, `its content cannot be read: ${reasonOf(error)}`);
    }
  }

  async #receive(file: Parameters<FileStore['receive']>[0], content: AsyncIterable<Buffer>): Promise<void> {
    await this.#audit.recording(systemActor, (record) =>
      this.#files.receive(file, content, (connection, { id, path, sizeBytes }) =>
        record(connection, {
          action: 'file.uploaded',
          objectId: id,
          objectName: path,
          detail: { size_bytes: sizeBytes, migrated: true },
        }),
      ),
    );
  }

  async #messages(page: readonly SourceMessage[]): Promise<void> {
    const kept = page.flatMap((message): readonly ImportedMessage[] => {
      const { flowId } = message;
      const userId = flowId === null ? undefined : this.#flowOwners.get(flowId);
      if (flowId !== null && userId !== undefined)
        return [{ ...message, flowId, userId, duration: null, files: this.#renamedFiles(message.files) }];
      this.report.skip('messages', message.id, flowId === null ? 'it has no flow' : 'its flow was not moved');
      return [];
    });
    if (kept.length === 0) return;
    const stored = await this.#store.stored(
      'messages',
      kept.map(({ id }) => id),
    );
    const missing = kept.filter(({ id }) => !stored.has(id));
    const { isDryRun } = this.#options;
    const moved =
      isDryRun || missing.length === 0
        ? missing.length
        : await this.#audit.change(systemActor, (change) => this.#store.within(change).addMessages(missing));
    this.report.count('messages', 'moved', moved);
    this.report.count('messages', 'present', kept.length - moved);
  }

  #renamedFiles(files: readonly string[]): readonly string[] {
    return files.map((path) => {
      const user = this.#users.get(path.split('/')[0] ?? '');
      return user === undefined ? path : path.replace(user.id, user.targetId);
    });
  }

  /** Stores one record and its audit entry in one transaction; true when it was added. Only counts in a dry run. */
  #write(event: AuditEvent, add: (store: ImportStore) => Promise<boolean>): Promise<boolean> {
    if (this.#options.isDryRun) return Promise.resolve(true);
    return this.#audit.change(systemActor, async (change: AuditedChange) => {
      const added = await add(this.#store.within(change));
      if (added) change.note({ ...event, detail: { migrated: true, ...event.detail } });
      return added;
    });
  }
}

/** Replaces the id of a user who has another one here, in the paths of files that a flow names. */
function renamed(data: unknown, { id, targetId }: MappedUser): unknown {
  if (id === targetId || data === null || data === undefined) return data;
  return JSON.parse(JSON.stringify(data).replaceAll(`${id}/`, `${targetId}/`)) as unknown;
}

const SAMPLED = 1_000;

/**
 * Resolves to true when the secret key decrypts at least one of the stored API keys and credentials, or when none is
 * encrypted.
 */
export async function canDecryptSecrets(source: LangflowSource, secrets: LangflowSecrets): Promise<boolean> {
  let tokens = 0;
  const fits = (stored: string | null): boolean => {
    if (stored === null || !isFernetToken(stored)) return false;
    tokens += 1;
    return secrets.read(stored) !== undefined;
  };
  for await (const { storedKey } of source.keys()) {
    if (fits(storedKey)) return true;
    if (tokens >= SAMPLED) return false;
  }
  for await (const { storedValue } of source.variables()) if (fits(storedValue)) return true;
  return tokens === 0;
}
