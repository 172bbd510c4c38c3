import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { unzipSync } from 'fflate';
import { exchangeMessages } from './exchange-messages.mjs';
import { jsonOf } from './model-recorder.mjs';
import { objectOf, readEvents } from './read-events.mjs';
import { sendRequest } from './send-request.mjs';

/** @import { Answer, Case, Json, Play, Step } from './case.ts' */
/** @import { Target } from './open-targets.mjs' */

const TIMEOUT_MILLISECONDS = 45_000;
const POLLS = 200;
const BUSY_POLLS = 4;
const POLL_MILLISECONDS = 100;
const NO_ID = '00000000-0000-0000-0000-000000000000';
const ENDED = ['completed', 'failed', 'error', 'cancelled', 'suspended'];
/** What clients read. */
const HEADERS = [
  'content-type',
  'content-disposition',
  'location',
  'allow',
  'www-authenticate',
  'retry-after',
];

/** @typedef {{ readonly target: Target, readonly key: string, readonly echo: string, readonly play: string }} Player */

/**
 * Uploads the flow of a case, sends its steps one after the other, and deletes the flow.
 * @param {Case} tried
 * @param {Player} player
 * @returns {Promise<Play>}
 */
export async function playCase(tried, player) {
  const { target, play } = player;
  const started = performance.now();
  /** @type {Map<string, string>} */
  const names = new Map([
    ['echo', player.echo],
    ['model', target.recorder.url.replace(/\/v1$/, '')],
    ['play', play],
    ['flow', NO_ID],
  ]);
  /** @type {Answer[]} */
  const answers = [];
  for (const step of stepsOf(tried)) {
    const answer = await ask(step, player, names);
    answers.push(answer);
    for (const [name, path] of Object.entries(step.capture ?? {}))
      names.set(name, memberOf(answer.body, path) ?? NO_ID);
  }
  const flow = names.get('flow') ?? NO_ID;
  if (flow !== NO_ID) await ask(request('DELETE', `/api/v1/flows/${flow}`), player, names);
  const milliseconds = Math.round(performance.now() - started);
  return { answers, asked: target.recorder.take(`sk-${play}`), milliseconds };
}

/**
 * Returns the steps of a case, the upload of its flow included.
 * @param {Case} tried
 * @returns {readonly Step[]}
 */
export function stepsOf({ flow, before = [], steps }) {
  if (flow === undefined) return [...before, ...steps];
  const json = /** @type {Json} */ (/** @type {unknown} */ ({ name: 'Generated flow', data: flow }));
  const upload = { ...request('POST', '/api/v1/flows/'), json, capture: { flow: 'id' } };
  return [...before, { ...upload, isSetup: true }, ...steps];
}

/**
 * @param {string} method
 * @param {string} path
 * @returns {Step}
 */
function request(method, path) {
  return { route: `${method} ${path}`, method, path };
}

/**
 * @param {Step} step
 * @param {Player} player
 * @param {ReadonlyMap<string, string>} names
 */
async function ask(step, player, names) {
  for (let poll = 1; ; poll += 1) {
    const answer = await askOnce(step, player, names);
    if (isBusy(answer) && poll < BUSY_POLLS) continue;
    if (step.isPolled !== true || poll === POLLS || hasEnded(answer.body)) return answer;
    await pause(POLL_MILLISECONDS);
  }
}

/**
 * Langflow waits long for its database before it refuses a request.
 * @param {Answer} answer
 */
const isBusy = ({ status, body }) => status === 503 && JSON.stringify(body).includes('database is busy');

/** @param {Json} body */
function hasEnded(body) {
  if (Array.isArray(body))
    return (
      body.length > 0 &&
      body.every((one) => !['pending', 'claimed', 'dispatched'].includes(String(objectOf(one).state)))
    );
  return ENDED.includes(String(objectOf(body).status));
}

/**
 * @param {Step} step
 * @param {Player} player
 * @param {ReadonlyMap<string, string>} names
 * @returns {Promise<Answer>}
 */
async function askOnce(step, { target, key }, names) {
  const { method, path, query, headers, body, messages, secret } = filled(
    {
      method: step.method,
      path: step.path,
      query: step.query ?? {},
      headers: step.headers ?? {},
      body: step.json ?? null,
      messages: step.messages,
      secret: step.secret,
    },
    names,
  );
  if (messages !== undefined)
    return exchangeMessages({ origin: target.url, path, key, messages, timeout: TIMEOUT_MILLISECONDS });
  const form = step.files && new FormData();
  for (const { field, name, text } of step.files ?? []) form?.append(field, new Blob([text]), name);
  const json = step.json === undefined ? undefined : JSON.stringify(body);
  const sent = form ?? step.text ?? json;
  const address = `${target.url}${path}${step.query === undefined ? '' : `?${new URLSearchParams(query)}`}`;
  try {
    const response = await sendRequest(address, {
      method,
      redirect: 'manual',
      headers: {
        'x-api-key': key,
        ...(sent === undefined || form !== undefined ? {} : { 'content-type': 'application/json' }),
        ...(secret === undefined ? {} : signatureOf(secret, typeof sent === 'string' ? sent : '')),
        ...headers,
      },
      body: sent,
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.headers.get('content-type')?.includes('zip') === true) {
      return { ...headOf(response), body: archiveOf(bytes) };
    }
    const text = new TextDecoder().decode(bytes);
    const isStream =
      query.stream === 'true' || response.headers.get('content-type')?.includes('event-stream') === true;
    return { ...headOf(response), body: isStream && response.ok ? readEvents(text) : jsonOf(text) };
  } catch (error) {
    return { status: 0, headers: {}, body: error instanceof Error ? error.name : 'failed' };
  }
}

/** @param {Response} response */
const headOf = ({ status, headers }) => ({
  status,
  headers: Object.fromEntries(HEADERS.map((name) => [name, headers.get(name) ?? ''])),
});

/**
 * Returns the files of an archive, by their names.
 * @param {Uint8Array} bytes
 * @returns {Json}
 */
function archiveOf(bytes) {
  const files = Object.entries(unzipSync(bytes));
  return Object.fromEntries(files.map(([name, file]) => [name, jsonOf(new TextDecoder().decode(file))]));
}

/**
 * Returns the headers of a signed call of an ingress.
 * @param {string} secret
 * @param {string} body
 * @returns {Record<string, string>}
 */
function signatureOf(secret, body) {
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`v1:${time}:${body}`).digest('hex');
  return { 'x-langflow-timestamp': time, 'x-langflow-signature': `v1=${signature}` };
}

/**
 * @template T
 * @param {T} value
 * @param {ReadonlyMap<string, string>} names
 * @returns {T}
 */
function filled(value, names) {
  const text = JSON.stringify(value).replaceAll(/\{\{(\w+)\}\}/g, (whole, name) => {
    const known = names.get(name);
    return known === undefined ? whole : JSON.stringify(known).slice(1, -1);
  });
  return JSON.parse(text);
}

/**
 * @param {Json} body
 * @param {string} path
 */
function memberOf(body, path) {
  /** @type {Json | undefined} */
  let value = body;
  for (const name of path.split('.'))
    value = Array.isArray(value) ? value.at(Number(name)) : objectOf(value)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
