import { createCipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The tables that a migration reads, as Langflow 1.13 creates them in SQLite. */
const TABLES = `
  CREATE TABLE user (id CHAR(32) NOT NULL PRIMARY KEY, username VARCHAR NOT NULL, password VARCHAR NOT NULL,
    is_active BOOLEAN NOT NULL, is_superuser BOOLEAN NOT NULL, create_at DATETIME NOT NULL);
  CREATE TABLE folder (name VARCHAR NOT NULL, id CHAR(32) NOT NULL PRIMARY KEY, user_id CHAR(32));
  CREATE TABLE flow (name VARCHAR NOT NULL, description TEXT, is_component BOOLEAN, updated_at DATETIME, webhook BOOLEAN,
    endpoint_name VARCHAR, data JSON, id CHAR(32) NOT NULL PRIMARY KEY, user_id CHAR(32), icon VARCHAR, tags JSON,
    locked BOOLEAN, folder_id CHAR(32), access_type VARCHAR);
  CREATE TABLE apikey (name VARCHAR, last_used_at DATETIME, total_uses INTEGER NOT NULL, is_active BOOLEAN NOT NULL,
    expires_at DATETIME, id CHAR(32) NOT NULL PRIMARY KEY, created_at DATETIME, api_key VARCHAR NOT NULL,
    api_key_hash VARCHAR, user_id CHAR(32) NOT NULL);
  CREATE TABLE variable (name VARCHAR NOT NULL, value VARCHAR NOT NULL, type VARCHAR, id CHAR(32) NOT NULL PRIMARY KEY,
    created_at DATETIME, updated_at DATETIME, default_fields JSON, user_id CHAR(32) NOT NULL);
  CREATE TABLE file (id CHAR(32) NOT NULL PRIMARY KEY, user_id CHAR(32) NOT NULL, name VARCHAR NOT NULL,
    path VARCHAR NOT NULL, size INTEGER NOT NULL, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL);
  CREATE TABLE message (timestamp DATETIME NOT NULL, sender VARCHAR NOT NULL, sender_name VARCHAR NOT NULL,
    session_id VARCHAR NOT NULL, text TEXT, id CHAR(32) NOT NULL PRIMARY KEY, flow_id CHAR(32), files JSON,
    error BOOLEAN NOT NULL, edit BOOLEAN NOT NULL, properties JSON, category TEXT, content_blocks JSON,
    context_id VARCHAR, session_metadata JSON, run_id CHAR(32));
  CREATE TABLE "trigger" (id CHAR(32) NOT NULL PRIMARY KEY);`;

const TIME = '2026-03-01 10:00:00.123456';

export interface FixtureUser {
  readonly id: string;
  readonly username: string;
  readonly key: string;
  readonly flowIds: readonly string[];
}

/** Creates a database of Langflow with its files, in a folder; the secret key has fewer than 32 characters. */
export class LangflowFixture {
  readonly file: string;
  readonly #folder: string;
  readonly #database: DatabaseSync;
  readonly #key: Buffer;

  constructor(folder: string, secretKey: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.file = join(folder, 'langflow.db');
    this.#database = new DatabaseSync(this.file);
    this.#database.exec(TABLES);
    this.#key = createHash('sha256').update(secretKey).digest();
    writeFileSync(join(folder, 'secret_key'), secretKey);
    // An example of Langflow, which belongs to no user.
    this.#insert('flow', { id: hex(randomUUID()), name: 'Example', user_id: null, data: '{}' });
    this.#insert('"trigger"', { id: hex(randomUUID()) });
  }

  /** Adds a user with a folder, a key, an old key without a hash, two variables, a file and a flow for each document. */
  addUser(
    username: string,
    { isAdmin = false, documents }: { readonly isAdmin?: boolean; readonly documents: readonly unknown[] },
  ): FixtureUser {
    const [id, folderId, key] = [randomUUID(), randomUUID(), `sk-${randomBytes(32).toString('base64url')}`];
    this.#insert('user', {
      id: hex(id),
      username,
      password: 'x',
      is_active: 1,
      is_superuser: isAdmin ? 1 : 0,
      create_at: TIME,
    });
    this.#insert('folder', { name: 'Starter Project', id: hex(folderId), user_id: hex(id) });
    this.addKey(id, 'new', key, { hasHash: true });
    this.addKey(id, 'old', `${key}-old`, { hasHash: false });
    this.#addVariable(id, 'SHOP_KEY', this.encrypt(`secret of ${username}`), 'Credential');
    this.#addVariable(id, 'SHOP_CITY', `Graz of ${username}`, 'Generic');
    this.#addFile(id, 'letter.txt', `letter of ${username}`);
    const flowIds = documents.map((document, index) =>
      this.#addFlow(id, folderId, username, index, document),
    );
    const [first] = flowIds;
    if (first !== undefined) this.#write(join(first, 'note.txt'), `note of ${username}`);
    return { id, username, key, flowIds };
  }

  addKey(userId: string, name: string, key: string, { hasHash }: { readonly hasHash: boolean }): void {
    this.#insert('apikey', {
      id: hex(randomUUID()),
      user_id: hex(userId),
      name,
      total_uses: 3,
      is_active: 1,
      created_at: TIME,
      api_key: this.encrypt(key),
      api_key_hash: hasHash ? createHash('sha256').update(key).digest('hex') : null,
    });
  }

  addMessages(flowId: string, sessionId: string, count: number): void {
    this.#database.exec('BEGIN');
    for (let index = 0; index < count; index += 1)
      this.#insert('message', {
        id: hex(randomUUID()),
        timestamp: `2026-03-01 10:00:${String(index % 60).padStart(2, '0')}.${String(index).padStart(6, '0')}`,
        sender: index % 2 === 0 ? 'User' : 'Machine',
        sender_name: index % 2 === 0 ? 'User' : 'AI',
        session_id: sessionId,
        text: `message ${index}`,
        flow_id: hex(flowId),
        files: '[]',
        error: 0,
        edit: 0,
        properties: '{"state":"complete"}',
        category: 'message',
        content_blocks: '[]',
        context_id: null,
        session_metadata: null,
        run_id: hex(randomUUID()),
      });
    this.#database.exec('COMMIT');
  }

  close(): void {
    this.#database.close();
  }

  /** Encrypts as Fernet does. */
  encrypt(text: string): string {
    const vector = randomBytes(16);
    const header = Buffer.alloc(9);
    header[0] = 0x80;
    header.writeBigUInt64BE(1_770_000_000n, 1);
    const cipher = createCipheriv('aes-128-cbc', this.#key.subarray(16), vector);
    const signed = Buffer.concat([header, vector, cipher.update(text), cipher.final()]);
    const tag = createHmac('sha256', this.#key.subarray(0, 16)).update(signed).digest();
    return Buffer.concat([signed, tag]).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  }

  #addVariable(userId: string, name: string, value: string, type: string): void {
    this.#insert('variable', {
      id: hex(randomUUID()),
      user_id: hex(userId),
      name,
      value,
      type,
      created_at: TIME,
      default_fields: '["city"]',
    });
  }

  #addFile(userId: string, name: string, content: string): void {
    const path = `${userId}/${name}`;
    this.#write(path, content);
    this.#insert('file', {
      id: hex(randomUUID()),
      user_id: hex(userId),
      name: 'letter',
      path,
      size: content.length,
      created_at: TIME,
      updated_at: TIME,
    });
  }

  #addFlow(userId: string, folderId: string, username: string, index: number, document: unknown): string {
    const id = randomUUID();
    this.#insert('flow', {
      id: hex(id),
      name: `Flow ${index}`,
      user_id: hex(userId),
      folder_id: hex(folderId),
      endpoint_name: `flow-${index}-${username}`,
      updated_at: TIME,
      is_component: 0,
      webhook: 0,
      locked: 1,
      tags: '["shop"]',
      icon: 'Bot',
      access_type: 'PRIVATE',
      data: JSON.stringify(document),
    });
    return id;
  }

  #write(path: string, content: string): void {
    const file = join(this.#folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  #insert(table: string, row: Readonly<Record<string, string | number | null>>): void {
    const names = Object.keys(row);
    this.#database
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  }
}

function hex(id: string): string {
  return id.replaceAll('-', '');
}
