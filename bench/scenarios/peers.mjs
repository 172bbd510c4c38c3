import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { exampleFlow, upload } from '../flows.mjs';
import { atLeast } from '../goals.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { peerVersion } from '../peers/all-peers.mjs';
import { rowsTable } from '../peers/node-red.mjs';

/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */
/** @import { ClosedLoad } from '../load/closed-loop.mjs' */
/** @import { LoadFigures, Product, Scenario, Side } from '../scenario.ts' */

/** @typedef {Pick<ClosedLoad, 'url' | 'headers'>} Echo Where a product answers. */

/** A product that takes a second for a request has many waiting callers in front of each. */
const TIMEOUT_SECONDS = 240;
/** So that the first and the last requests of the callers, which do not overlap with others, count little. */
const FEWEST_REQUESTS_PER_CALLER = 5;

const input = { input_value: 'hello', session_id: 'bench' };
const answer = '"text":"hello"';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * What each side is, in the order of the report.
 * @type {Readonly<Record<string, Product>>}
 */
const products = {
  millrace: {
    name: 'Millrace, standalone',
    version,
    keeps: 'a row of run and messages in its own PostgreSQL, right after the answer',
  },
  millraceServers: {
    name: 'Millrace, with RabbitMQ, Redis and PostgreSQL',
    version,
    keeps: 'the messages in Redis before the answer, a row in PostgreSQL right after it',
  },
  millraceDurable: {
    name: 'Millrace, the same, durable',
    version,
    keeps: 'a row in PostgreSQL before the run starts, and its result before the answer',
  },
  nodeRed: { name: 'Node-RED', version: peerVersion('node-red'), keeps: 'nothing' },
  nodeRedRows: {
    name: 'Node-RED, with rows',
    version: peerVersion('node-red'),
    keeps: 'a row in PostgreSQL before the answer',
  },
  restate: {
    name: 'Restate, one node',
    version: peerVersion('restate'),
    keeps: 'request and result in its log on disk before the answer',
  },
  langflow: {
    name: 'Langflow',
    version: peerVersion('langflow'),
    keeps: 'messages, vertices and transactions in SQLite',
  },
  langflowServer: {
    name: 'Langflow, with PostgreSQL',
    version: peerVersion('langflow'),
    keeps: 'the same in PostgreSQL',
  },
};

/** P1: the products at one caller. */
export const oneCallerOfPeers = peerScenario('P1', 1);

/** P64: the products at 64 callers. */
export const manyCallersOfPeers = peerScenario('P64', 64);

/**
 * @param {string} id
 * @param {number} connections
 * @returns {Scenario}
 */
function peerScenario(id, connections) {
  return {
    id,
    title: `a text that comes back, Millrace and other products, ${connections} ${connections === 1 ? 'caller' : 'callers'}`,
    limit: 'the other products',
    goal: 'more throughput in standalone than Node-RED with a row for each request',
    of: 'the fastest other product',
    keepsOtherSides: true,
    async open(benchEnvironment) {
      const echoes = await openEchoes(benchEnvironment);
      return Object.fromEntries(
        Object.entries(products).map(([name, product]) => [name, side(echoes[name], product, connections)]),
      );
    },
    conclude({ millrace, nodeRedRows, ...sides }) {
      if (millrace === undefined) throw new Error('Millrace, standalone, was not measured');
      const others = [sides.nodeRed, nodeRedRows, sides.restate, sides.langflow, sides.langflowServer].filter(
        (one) => one !== undefined,
      );
      if (others.length === 0) throw new Error('no other product was measured');
      const { perSecond, p50, p99 } = millrace;
      return {
        ratio: perSecond / Math.max(...others.map((one) => one.perSecond)),
        perSecond,
        p50,
        p99,
        goals:
          nodeRedRows === undefined
            ? []
            : [atLeast('throughput compared with Node-RED with rows', perSecond / nodeRedRows.perSecond, 1)],
      };
    },
  };
}

/**
 * Starts all sides; one that does not start is its error.
 * @param {BenchEnvironment} benchEnvironment
 * @returns {Promise<Record<string, Echo | Error>>}
 */
async function openEchoes(benchEnvironment) {
  /** @type {Record<string, Echo | Error>} */
  const echoes = {};
  /**
   * @param {string} name
   * @param {() => Promise<Echo>} start
   */
  const open = async (name, start) => {
    console.log(`    starting ${products[name].name}`);
    echoes[name] = await start().catch((error) => error);
  };
  await open('millrace', async () => {
    const { url, headers } = await benchEnvironment.startStandalone();
    return { url: `${url}/api/v1/run/echo`, headers };
  });
  /** @type {Promise<BenchSystem> | undefined} */
  let starting;
  /** @param {object} settings */
  const echoFlow = (settings) => async () => {
    const system = await (starting ??= benchEnvironment.startSystem());
    const { endpoint } = await upload(system, exampleFlow('echo', `bench-${randomUUID()}`, settings));
    return { url: `${system.url}/api/v1/run/${endpoint}`, headers: system.headers };
  };
  await open('millraceServers', echoFlow({}));
  await open('millraceDurable', echoFlow({ durable: true }));
  await open('nodeRed', () => benchEnvironment.startPeer('node-red'));
  await open('nodeRedRows', async () => {
    const { url, query } = await benchEnvironment.createDatabase();
    await query(rowsTable);
    return benchEnvironment.startPeer('node-red', { databaseUrl: url });
  });
  await open('restate', () => benchEnvironment.startPeer('restate'));
  await open('langflow', () => benchEnvironment.startPeer('langflow'));
  await open('langflowServer', async () => {
    const { url } = await benchEnvironment.createDatabase();
    return benchEnvironment.startPeer('langflow', { databaseUrl: url });
  });
  return echoes;
}

/**
 * Returns the side of a product. It sends as many requests as the product answers in the given time, and waits for all
 * answers: requests that are abandoned would go on and disturb the next side.
 * @param {Echo | Error} echo
 * @param {Product} product
 * @param {number} connections
 * @returns {Side}
 */
function side(echo, product, connections) {
  if (echo instanceof Error) return Object.assign(() => Promise.reject(echo), { product });
  let perSecond = 0;
  /**
   * @param {number} seconds
   * @param {number} fewest
   * @returns {Promise<LoadFigures>}
   */
  const measure = async (seconds, fewest) => {
    const amount = Math.max(fewest, Math.round(seconds * perSecond));
    const common = { body: input, expected: answer, connections, timeoutSeconds: TIMEOUT_SECONDS };
    const figures = await closedLoop({ url: echo.url, headers: echo.headers, ...common, amount });
    ({ perSecond } = figures);
    return figures;
  };
  return Object.assign(
    (/** @type {number} */ seconds) => measure(seconds, FEWEST_REQUESTS_PER_CALLER * connections),
    {
      product,
      warmUp: async (/** @type {number} */ seconds) => {
        const end = performance.now() + seconds * 1_000;
        for (;;) {
          // The rate is not known at first, and rises.
          const figures = await measure((end - performance.now()) / 1_000, connections);
          if (figures.errors > 0 || performance.now() >= end) return figures;
        }
      },
    },
  );
}
