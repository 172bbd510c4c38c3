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
import { startNodeRed } from './peers/node-red.mjs';

/**
 * What scenarios need around them: servers once for all, and for each scenario databases, services and bare parts, which
 * go in reverse order with `leaveScenario`.
 */
export class Surroundings {
  /** How long each measurement takes. */
  seconds;
  /** Versions of the servers, and whether PostgreSQL waits for the disk. */
  servers = {};
  #ways;
  #peers;
  #services;
  #leaving = [];

  /** `peers` is the folder in which they are installed, if they are to be measured. */
  constructor({ services, seconds, peers }) {
    this.#ways = services;
    this.#peers = peers;
    this.seconds = seconds;
  }

  /** A number that holds for measurements of ten seconds, smaller for shorter ones. */
  scaled(whole) {
    return Math.ceil(whole * Math.min(1, this.seconds / 10));
  }

  /** An installation with a database and a prefix of its own, and `query` on that database. */
  async startSystem({ environment, ...options } = {}) {
    const { urls, prefix } = await this.#acquire();
    const database = await this.createDatabase();
    const system = await scaledTools.startScaledSystem({
      urls: { ...urls, database: database.url },
      prefix: `${prefix}.${randomBytes(3).toString('hex')}.`,
      environment: { LOG_LEVEL: 'info', MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32', ...environment },
      ...options,
    });
    this.onLeave(system.stop);
    return { ...system, headers: { 'x-api-key': system.key }, query: database.query };
  }

  /** What requests cost a system and the servers, as far as these run on this machine. */
  async createMeter(system) {
    const { urls } = await this.#acquire();
    const standard = { broker: 5672, keyValue: 6379, database: 5432 };
    const servers = Object.entries(standard).map(([name, port]) => {
      const { hostname, port: given } = new URL(urls[name]);
      const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
      return [name, isHere ? processListeningOn(Number(given || port)) : undefined];
    });
    return createMeter(system, Object.fromEntries(servers));
  }

  /** Everything in one process with embedded parts, and the example flows; `flags` are further options. */
  async startStandalone({ flags = [] } = {}) {
    const data = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    this.onLeave(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
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
      },
    });
    this.onLeave(() => service.stop());
    return { url: `http://127.0.0.1:${service.ready.port}`, headers: { 'x-api-key': key } };
  }

  /** Another program for flows, with one that gives back what it gets at /run; undefined unless peers are measured. */
  async startPeer() {
    if (this.#peers === undefined) return undefined;
    const peer = await startNodeRed(this.#peers);
    this.servers.nodeRed = peer.version;
    this.onLeave(peer.stop);
    return peer;
  }

  /** Resolves to { url, query }. */
  async createDatabase() {
    const { urls, prefix } = await this.#acquire();
    const { url, drop } = await createTestDatabase(
      urls.database,
      `${prefix}_${randomBytes(3).toString('hex')}`,
    );
    this.onLeave(drop);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // One that is about to close may still be there when its database goes; queries report their own errors.
    pool.on('error', () => undefined);
    this.onLeave(() => pool.end());
    return { url, query: async (text, values) => (await pool.query(text, values)).rows };
  }

  /** A language model by rule, as a process; `url` is its base URL for clients. */
  async startModel() {
    const model = await scaledTools.startModelProcess();
    this.onLeave(() => model.stop());
    return model;
  }

  /** A script of bench/bare as a process; resolves to { url } when it listens. The servers' URLs are in its environment. */
  async startBare(script, { words, environment, needsServers = true } = {}) {
    const { urls } = needsServers ? await this.#acquire() : { urls: {} };
    const bare = await startBare(script, {
      words,
      environment: { AMQP_URL: urls.broker, DATABASE_URL: urls.database, ...environment },
    });
    this.onLeave(bare.stop);
    return bare;
  }

  /** A name for a queue of bare parts, which goes with the servers' other leftovers. */
  async queueName() {
    const { prefix } = await this.#acquire();
    return `${prefix}.bare.${randomBytes(3).toString('hex')}`;
  }

  onLeave(leave) {
    this.#leaving.push(leave);
  }

  async leaveScenario() {
    for (const leave of this.#leaving.splice(0).reverse()) await leave();
  }

  async close() {
    await this.leaveScenario();
    // Servers that were not found have failed the scenarios that need them.
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
