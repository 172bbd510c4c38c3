import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import scaledTools from '@millrace/scaled-system';
import pg from 'pg';
import { acquireServices } from '../tools/services/acquire-services.mjs';
import { createTestDatabase } from '../tools/services/test-database.mjs';
import { startBare } from './bare/start-bare.mjs';
import { createMeter } from './costs/meter.mjs';
import { processListeningOn } from './costs/process-trees.mjs';
import { startPeer } from './peers/all-peers.mjs';

/** @import { ScaledSystem, ScaledSystemOptions } from '@millrace/scaled-system' */
/** @import { ServiceName } from '../tools/services/service-kinds.mjs' */
/** @import { InstalledPeers, PeerName } from './peers/all-peers.mjs' */

/**
 * @typedef {<Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>} Query Resolves to the rows.
 * @typedef {{ readonly headers: Readonly<Record<string, string>>, readonly query: Query, readonly prefix: string, readonly brokerUrl: string }} BenchParts
 * @typedef {ScaledSystem & BenchParts} BenchSystem
 * @typedef {(urls: ScaledSystemOptions['urls']) => Promise<ScaledSystemOptions['urls']>} Route Returns the URLs to use instead.
 * @typedef {Partial<Omit<ScaledSystemOptions, 'urls' | 'prefix'>> & { readonly route?: Route }} SystemOptions
 */

/**
 * Starts what scenarios need: the servers once, and for each scenario databases, services and bare limits, which
 * `closeScenario` stops in reverse order.
 */
export class BenchEnvironment {
  /** How long each measurement takes. */
  seconds;
  /**
   * Versions of the servers, and whether PostgreSQL waits for the disk.
   * @type {Record<string, string | undefined>}
   */
  servers = {};
  /** @type {readonly string[] | undefined} */
  #ways;
  /** @type {InstalledPeers | undefined} */
  #peers;
  /** @type {ReturnType<typeof acquireServices> | undefined} */
  #services;
  /** @type {(() => unknown)[]} */
  #cleanups = [];

  /**
   * @param {{ services: readonly string[] | undefined, seconds: number, peers?: InstalledPeers }} options
   */
  constructor({ services, seconds, peers }) {
    this.#ways = services;
    this.#peers = peers;
    this.seconds = seconds;
  }

  /**
   * Scales a number for measurements of ten seconds down to shorter measurements.
   * @param {number} whole
   */
  scaled(whole) {
    return Math.ceil(whole * Math.min(1, this.seconds / 10));
  }

  /**
   * Starts an installation with a new database and prefix; resolves to it, with `query` for the database.
   * @param {SystemOptions} [options]
   * @returns {Promise<BenchSystem>}
   */
  async startSystem({ environment, route = async (urls) => urls, ...options } = {}) {
    const { urls, prefix } = await this.#acquire();
    const database = await this.createDatabase();
    const ownPrefix = `${prefix}.${randomBytes(3).toString('hex')}.`;
    const system = await scaledTools.startScaledSystem({
      urls: await route({ ...urls, database: database.url }),
      prefix: ownPrefix,
      environment: { LOG_LEVEL: 'info', MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32', ...environment },
      ...options,
    });
    this.onScenarioEnd(system.stop);
    const headers = { 'x-api-key': system.key };
    return { ...system, headers, query: database.query, prefix: ownPrefix, brokerUrl: urls.broker };
  }

  /**
   * Resolves to a meter of the costs of a system and of the servers that run on this machine.
   * @param {BenchSystem} system
   */
  async createMeter(system) {
    const { urls } = await this.#acquire();
    /**
     * @param {string} url
     * @param {number} standardPort
     */
    const serverAt = (url, standardPort) => {
      const { hostname, port } = new URL(url);
      const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
      return isHere ? processListeningOn(Number(port || standardPort)) : undefined;
    };
    return createMeter(system, {
      broker: serverAt(urls.broker, 5672),
      keyValue: serverAt(urls.keyValue, 6379),
      database: serverAt(urls.database, 5432),
    });
  }

  /**
   * Starts the standalone app with embedded parts and the example flows; `flags` are further options.
   * @param {{ flags?: readonly string[], environment?: Readonly<Record<string, string>>, print?: (line: string) => void }} [options]
   */
  async startStandalone({ flags = [], environment = {}, print } = {}) {
    const data = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    this.onScenarioEnd(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
    const key = `sk-${randomBytes(32).toString('base64url')}`;
    const service = await scaledTools.startServiceProcess({
      app: 'standalone',
      flags: ['--port', '0', '--data', data, ...flags],
      environment: {
        DATABASE_URL: '',
        AMQP_URL: '',
        REDIS_URL: '',
        MILLRACE_BOOTSTRAP_API_KEY: key,
        LOG_LEVEL: 'info',
        ...environment,
      },
      print,
    });
    this.onScenarioEnd(() => service.stop());
    return { url: `http://127.0.0.1:${service.ready.port}`, headers: { 'x-api-key': key } };
  }

  /**
   * Starts another product, which answers a POST at `url` with the text of its input.
   * @param {PeerName} name
   * @param {{ readonly databaseUrl?: string }} [options]
   */
  async startPeer(name, options) {
    if (this.#peers === undefined) throw new Error('other products need --peers');
    const peer = await startPeer(this.#peers, name, options);
    this.onScenarioEnd(peer.stop);
    return peer;
  }

  /**
   * Creates a database; resolves to { url, query }.
   * @returns {Promise<{ url: string, query: Query }>}
   */
  async createDatabase() {
    const { urls, prefix } = await this.#acquire();
    const { url, drop } = await createTestDatabase(
      urls.database,
      `${prefix}_${randomBytes(3).toString('hex')}`,
    );
    this.onScenarioEnd(drop);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // A closing connection can still exist when its database is dropped; queries report their own errors.
    pool.on('error', () => undefined);
    this.onScenarioEnd(() => pool.end());
    return { url, query: async (text, values) => (await pool.query(text, values)).rows };
  }

  /** Starts the model server as a process; `url` is its base URL for clients. */
  async startModel() {
    const model = await scaledTools.startModelProcess();
    this.onScenarioEnd(() => model.stop());
    return model;
  }

  /**
   * Starts a script of bench/bare with the servers' URLs in its environment; resolves to { url } when it listens.
   * @param {string} script
   * @param {{ words?: readonly string[], environment?: NodeJS.ProcessEnv, needsServers?: boolean }} [options]
   */
  async startBare(script, { words, environment, needsServers = true } = {}) {
    const urls = needsServers ? (await this.#acquire()).urls : undefined;
    const bare = await startBare(script, {
      words,
      environment: { AMQP_URL: urls?.broker, DATABASE_URL: urls?.database, ...environment },
    });
    this.onScenarioEnd(bare.stop);
    return bare;
  }

  /** Resolves to a name for a queue of a bare limit, with the prefix by which leftover queues are deleted. */
  async queueName() {
    const { prefix } = await this.#acquire();
    return `${prefix}.bare.${randomBytes(3).toString('hex')}`;
  }

  /** @param {() => unknown} leave */
  onScenarioEnd(leave) {
    this.#cleanups.push(leave);
  }

  async closeScenario() {
    for (const leave of this.#cleanups.splice(0).reverse()) await leave();
  }

  async close() {
    await this.closeScenario();
    // Missing servers have already failed the scenarios that need them.
    await (await this.#services?.catch(() => undefined))?.stop();
  }

  async #acquire() {
    this.#services ??= acquireServices({ only: this.#ways, durable: true });
    const services = await this.#services;
    if (this.servers.fsync === undefined) {
      this.servers = services.versions;
      const client = new pg.Client({ connectionString: services.urls.database });
      await client.connect();
      this.servers.fsync = (await client.query('SHOW fsync')).rows[0].fsync;
      this.servers.synchronousCommit = (
        await client.query('SHOW synchronous_commit')
      ).rows[0].synchronous_commit;
      await client.end();
      console.log(`PostgreSQL with fsync ${this.servers.fsync}`);
    }
    return services;
  }
}
