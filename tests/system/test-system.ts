import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerNames } from '@millrace/messages';
import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { Client } from 'pg';
import { startScaledSystem } from '@millrace/scaled-system';
import type { ScaledSystem, ScaledSystemOptions } from '@millrace/scaled-system';

const ROOT = join(__dirname, '..', '..');

/** A scaled installation for one suite, with its own database, prefix and model server; `stop` removes everything. */
export interface TestSystem extends ScaledSystem {
  readonly model: ModelServer;
  /** The suite's connection to the database. */
  readonly database: Client;
  readonly headers: Readonly<Record<string, string>>;
  /** The output of the services, line by line. */
  readonly lines: readonly string[];
  /** Stores an example flow under a new endpoint name; resolves to its id and name. */
  upload(example: string, changes?: (flow: ExampleFlow) => void): Promise<{ id: string; endpoint: string }>;
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  getJson<T>(path: string): Promise<T>;
}

export interface ExampleFlow {
  name: string;
  endpoint_name: string;
  settings?: Record<string, unknown>;
  data: { nodes: unknown[]; edges: unknown[] };
}

export interface TestSystemOptions extends Partial<
  Pick<ScaledSystemOptions, 'pools' | 'concurrency' | 'environment' | 'workers'>
> {
  /** Returns the URLs that the services use instead, for example those of proxies. */
  route?(urls: ScaledSystemOptions['urls']): Promise<ScaledSystemOptions['urls']>;
}

/** Starts a scaled installation on real servers, with a new database. */
export async function startTestSystem({
  route = async (urls) => urls,
  ...options
}: TestSystemOptions = {}): Promise<TestSystem> {
  const name = `millrace_system_${randomBytes(6).toString('hex')}`;
  const servers = {
    database: server('DATABASE_URL'),
    broker: server('AMQP_URL'),
    keyValue: server('REDIS_URL'),
  };
  const administrator = new Client({ connectionString: servers.database });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(servers.database);
  url.pathname = `/${name}`;
  const model = await startModelServer();
  const lines: string[] = [];
  const system = await startScaledSystem({
    urls: await route({ ...servers, database: url.href }),
    prefix: `${name}.`,
    print: (line) => {
      lines.push(line);
      if (process.env['MILLRACE_TEST_LOGS']) process.stderr.write(`${line}\n`);
    },
    ...options,
    environment: {
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      ...options.environment,
    },
  }).catch(async (error: unknown) => {
    await model.close();
    await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await administrator.end();
    throw new Error(`${String(error)}\n${lines.slice(-40).join('\n')}`);
  });
  const database = new Client({ connectionString: url.href });
  await database.connect();
  const headers = { 'x-api-key': system.key, 'content-type': 'application/json' };
  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    fetch(`${system.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...init });
  return {
    ...system,
    model,
    database,
    headers,
    lines,
    post,
    async getJson<T>(path: string) {
      const response = await fetch(`${system.url}${path}`, { headers });
      if (!response.ok)
        throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    },
    async upload(example, changes) {
      const flow = JSON.parse(readFileSync(join(ROOT, 'examples', `${example}.json`), 'utf8')) as ExampleFlow;
      flow.endpoint_name = `${example}-${randomBytes(4).toString('hex')}`;
      changes?.(flow);
      const response = await post('/api/v1/flows/', flow);
      if (response.status !== 201)
        throw new Error(`the upload responded with ${response.status}: ${await response.text()}`);
      const { id, endpoint_name } = (await response.json()) as { id: string; endpoint_name: string };
      return { id, endpoint: endpoint_name };
    },
    async stop() {
      await database.end();
      await system.stop();
      await removeQueues(servers.broker, `${name}.`, Object.keys(options.pools ?? { default: 1 }));
      await model.close();
      await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await administrator.end();
    },
  };
}

function server(name: 'DATABASE_URL' | 'AMQP_URL' | 'REDIS_URL'): string {
  const url = process.env[name];
  if (!url)
    throw new Error(`${name} is not set: this suite needs a real server (npm test finds or starts one)`);
  return url;
}

/** Deletes the durable queues and exchanges of a suite, which remain after their clients disconnect. */
export async function removeQueues(url: string, prefix: string, pools: readonly string[]): Promise<void> {
  const { connect } = await import('amqplib');
  const connection = await connect(url);
  const channel = await connection.createChannel();
  const names = brokerNames(prefix);
  const lanes = pools.flatMap((pool) => [names.lane('interactive', pool), names.lane('background', pool)]);
  for (const queue of new Set([
    ...lanes,
    names.lane('interactive', 'default'),
    names.lane('background', 'default'),
    names.quarantineQueue,
    names.deadQueue,
    names.runEvents,
  ]))
    await channel.deleteQueue(queue);
  for (const exchange of [names.runsExchange, names.deadExchange, names.controlExchange])
    await channel.deleteExchange(exchange);
  await connection.close();
}
