import { forAllTests } from '@millrace/testing';
import { openMigratedDatabase } from '@millrace/database/testing';
import { randomBytes } from 'node:crypto';
import { RefusedSignIns } from '@millrace/access';
import { componentRegistry } from '@millrace/components';
import { brokerNames, runsTopology } from '@millrace/messages';
import { openKeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import { ApprovedCode, Encryption, openStores, RequestSeal } from '@millrace/runs';
import {
  createLogger,
  createMetrics,
  Health,
  localClock,
  pythonPoolOf,
  readSettings,
} from '@millrace/service';
import type { Logger } from '@millrace/service';
import { ensureFirstUser } from '../authentication/ensure-first-user';
import { createGateway } from '../gateway';
import type { GatewayDependencies, GatewayLimits, Webhooks } from '../gateway-dependencies';
import type { OpenApiDocument } from '../openapi/openapi-document';
import { gatewaySettings } from '../settings';
import { AnswerContract } from './answer-contract';
import { checkedFetch } from './checked-fetch';
import { removeFromBroker } from './remove-from-broker';
import { TestExecutor } from './test-executor';

export interface TestGatewayOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<GatewayLimits>;
  readonly webhooks?: Webhooks;
  /** Silent unless given. */
  readonly logger?: Logger;
  /** URL of RabbitMQ for the gateway, and a different one for the executor. */
  readonly brokerUrl?: string | undefined;
  readonly executorBrokerUrl?: string | undefined;
  /** URL of a Redis; the gateway's memory unless given. */
  readonly keyValueUrl?: string;
  /** The folder of the built web console; none unless given. */
  readonly consoleFolder?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: never;
}

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

export const TEST_KEY = 'sk-test-key-of-the-first-user';

/** Returns a gateway that is open during the tests of the file or group. */
export function gatewayForTests(options: TestGatewayOptions = {}): TestGateway {
  return forAllTests(() => openTestGateway(options));
}

/** Starts a gateway on embedded services with a minimal executor and a real port. */
export async function openTestGateway(options: TestGatewayOptions = {}) {
  const { brokerUrl, executorBrokerUrl = brokerUrl } = options;
  const { dependencies, user, ...services } = await openServices(options);
  const { logger, bus, keyValue } = dependencies;
  const gateway = createGateway(dependencies);
  const { port } = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const contract = new AnswerContract((await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument);
  const send = checkedFetch(contract);
  const executorBus =
    executorBrokerUrl === undefined
      ? bus
      : await openMessageBus({ url: executorBrokerUrl, logger, name: 'gateway-test-executor' });
  const executor = await new TestExecutor({ ...dependencies, bus: executorBus }).start();
  executor.resolvePayload = (key) => keyValue.get(key);
  const call = callsWithKey(url, send);

  return {
    ...dependencies,
    gateway,
    executor,
    url,
    port,
    user,
    contract,
    /** Rejects when the answer does not match its documentation. */
    fetch: send,
    call,
    /** Creates a flow and resolves to its id. */
    async createFlow(flow: Record<string, unknown>): Promise<string> {
      const answer = await call('POST', '/api/v1/flows/', flow);
      if (answer.status !== 201) throw new Error(`creating a flow failed: ${answer.status} ${answer.text}`);
      return (answer.json as { id: string }).id;
    },
    async close() {
      await executor.stop();
      await gateway.close();
      await dependencies.refusedSignIns.close();
      await executorBus.close();
      await bus.close();
      if (executorBrokerUrl !== undefined) await services.removeFrom(executorBrokerUrl);
      await services.close();
    },
  };
}

/** Opens what a gateway depends on, and creates the first user. */
async function openServices(options: TestGatewayOptions) {
  const { environment = {}, limits = {}, webhooks, brokerUrl, consoleFolder = null } = options;
  const { keyValueUrl, logger = createLogger({ name: 'gateway-test', level: 'silent' }) } = options;
  const settings = readSettings(gatewaySettings, { MILLRACE_SHUTDOWN_SECONDS: '2', ...environment });
  const metrics = createMetrics();
  const database = await openMigratedDatabase(logger);
  const bus = await openMessageBus({ url: brokerUrl, logger, name: 'gateway-test' });
  const keyValue = await openKeyValueStore({ url: keyValueUrl, prefix: '', logger, name: 'gateway-test' });
  const names = brokerNames(brokerUrl === undefined ? '' : `test-${randomBytes(6).toString('hex')}.`);
  const pythonPool = pythonPoolOf(settings);
  const pools = [...settings.MILLRACE_POOLS, ...(pythonPool === null ? [] : [pythonPool])];
  await bus.provision(runsTopology(names, pools));
  const stores = openStores({
    database,
    keyValue,
    encryption: Encryption.from([randomBytes(32).toString('base64')]),
    logger,
    // The executor of these tests reads requests unencrypted.
    seal: new RequestSeal({ encryption: null }),
  });
  const { audit, authorCode } = stores;
  const dependencies: GatewayDependencies = {
    ...stores,
    refusedSignIns: new RefusedSignIns({ audit, logger, metrics }),
    // Its clock stands still, so that only the message about a decision makes the decision take effect.
    approvedCode: new ApprovedCode({ store: authorCode, mode: settings.MILLRACE_PYTHON, now: () => 0 }),
    settings,
    limits,
    logger,
    metrics,
    health: new Health(),
    database,
    bus,
    keyValue,
    registry: componentRegistry,
    environmentVariable: (name) => (name === 'OPENAI_API_KEY' ? 'sk-environment' : undefined),
    names,
    clock: localClock,
    instance: `gateway-test-${randomBytes(4).toString('hex')}`,
    batchesMessages: false,
    pythonPool,
    consoleFolder,
    guideFolder: null,
    webhooks: webhooks ?? { forwardTo: 'http://127.0.0.1:1' },
  };
  const user = await ensureFirstUser({ ...dependencies, bootstrapKey: TEST_KEY, logger });
  return {
    dependencies,
    user,
    removeFrom: (executorBrokerUrl: string) => removeFromBroker(executorBrokerUrl, names, pools),
    async close() {
      await keyValue.close();
      await database.close();
      await metrics.close();
    },
  };
}

/** Returns a function that sends a request with the first user's key; a body that is not text is sent as JSON. */
function callsWithKey(url: string, send: ReturnType<typeof checkedFetch>) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const isText = typeof body === 'string' || body instanceof Buffer || body instanceof FormData;
    const response = await send(url + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-api-key': TEST_KEY,
        ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isText ? (body as RequestInit['body'] & {}) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) as never };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
