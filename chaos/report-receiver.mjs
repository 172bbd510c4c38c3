import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '@millrace/testing';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Random } from './random.mjs' */

/** @typedef {Awaited<ReturnType<typeof startReportReceiver>>} ReportReceiver */

const FAILING_SHARE = 0.3;
const STALLING_SHARE = 0.05;
/** In each period the receiver answers nothing for the second part of it. */
const PERIOD_MILLISECONDS = 180_000;
const DEAD_MILLISECONDS = 60_000;

/**
 * Starts the receiver of callbacks. It fails, stalls, and is dead for the last minute of every three, until `heal`. It
 * checks the signature of each report. `bodies` has the different bytes that arrived under an id, also of attempts that
 * failed; `accepted` the ids that were answered with 204; `refused` what was not a signed report.
 * @param {Random} random
 */
export async function startReportReceiver(random) {
  const key = randomBytes(24);
  /** @type {Map<string, Set<string>>} */
  const bodies = new Map();
  /** @type {Set<string>} */
  const accepted = new Set();
  /** @type {string[]} */
  const refused = [];
  const started = Date.now();
  let isHealed = false;
  const isDead = () =>
    !isHealed && (Date.now() - started) % PERIOD_MILLISECONDS > PERIOD_MILLISECONDS - DEAD_MILLISECONDS;

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  const receive = async (request, response) => {
    if (isDead()) return void request.socket.destroy();
    const body = await textOf(request);
    const id = String(request.headers['webhook-id']);
    if (!isSigned(request, id, body, key)) {
      refused.push(`${request.method} ${request.url} ${id}`);
      return void response.writeHead(401).end();
    }
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    const luck = isHealed ? 1 : random.next();
    if (luck < FAILING_SHARE) return void response.writeHead(500).end();
    if (luck < FAILING_SHARE + STALLING_SHARE) return;
    accepted.add(id);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    // A sender that is killed breaks its request.
    receive(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/reports`,
    /** The signing secret, as the value of a variable. */
    secret: `whsec_${key.toString('base64')}`,
    bodies,
    accepted,
    refused,
    heal: () => {
      isHealed = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** @param {IncomingMessage} request */
async function textOf(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/**
 * @param {IncomingMessage} request
 * @param {string} id
 * @param {string} body
 * @param {Buffer} key
 */
function isSigned({ headers }, id, body, key) {
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
  const digest = createHmac('sha256', key).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${digest}`;
}
