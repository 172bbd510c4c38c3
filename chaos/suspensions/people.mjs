import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { callGateway } from './call-gateway.mjs';
import { APPROVALS, CHOICES, effectUrl } from './flows.mjs';

/** @import { Installation } from '../installation.mjs' */
/** @import { Random } from '../random.mjs' */

/**
 * @typedef {object} Try One try of a person.
 * @property {string} action
 * @property {'resume' | 'link'} door
 * @property {number} status 0 when no answer arrived.
 * @property {number} startedAt Milliseconds since the epoch.
 *
 * @typedef {object} Question
 * @property {string} runId
 * @property {string} requestId
 * @property {'asking' | 'consent'} flow
 * @property {string} token of the effect about which a person is asked
 * @property {number} dueAt When the fallback counts; Infinity for a question without one.
 * @property {Try[]} tries
 * @property {boolean} isCancelled Whether a person asked to cancel the run.
 *
 * @typedef {object} Open As the API lists it.
 * @property {string} run_id
 * @property {string} request_id
 * @property {string} kind
 * @property {string} prompt
 * @property {string | null} due_at
 * @property {{ readonly form: string }} links
 */

const LOOK_MILLISECONDS = 500;
const MAXIMUM_TRIES = 120;
const LONGEST_THOUGHT_MILLISECONDS = 8_000;
const TOKEN = /\/effect\/([\w-]+)\/20/;
/** The shares of questions that two people answer at once, that get no answer, and whose run is cancelled. */
const SHARES = { twice: 0.15, never: 0.15, cancel: 0.12 };
/** The share of cancellations that meet an answer. */
const MEETING_SHARE = 0.5;

/** The suffix of the token of an effect whose arguments a person edited. */
export const EDITED = '-edited';

/**
 * Answers the questions of suspended runs after a while, by the API and by decision links: some of them twice at once, some not
 * at all, and cancels some of the runs. Records every try.
 */
export class People {
  /**
   * By the id of the request.
   * @type {Map<string, Question>}
   */
  questions = new Map();
  #installation;
  #random;
  /** @type {Set<Promise<unknown>>} */
  #acting = new Set();
  #isStopped = false;
  /** @type {Promise<void> | undefined} */
  #looking;

  /**
   * @param {Pick<Installation, 'ready' | 'secrets' | 'sink' | 'flows'>} installation
   * @param {Random} random
   */
  constructor(installation, random) {
    this.#installation = installation;
    this.#random = random;
  }

  start() {
    this.#looking = this.#look();
  }

  /** Resolves when all people have acted. */
  async stop() {
    this.#isStopped = true;
    await this.#looking;
    while (this.#acting.size > 0) await Promise.all(this.#acting);
  }

  async #look() {
    const { flows } = this.#installation;
    while (!this.#isStopped) {
      for (const { id } of [flows.asking, flows.consent]) {
        const { status, body } = await this.#call('GET', `/api/v1/pending?links=true&flow_id=${id}`);
        if (status === 200)
          for (const open of /** @type {{ requests: Open[] }} */ (JSON.parse(body)).requests)
            if (!this.questions.has(open.request_id)) this.#meet(open);
      }
      await pause(LOOK_MILLISECONDS);
    }
  }

  /** @param {Open} open */
  #meet(open) {
    const [, token = ''] = TOKEN.exec(open.prompt) ?? [];
    /** @type {Question} */
    const question = {
      runId: open.run_id,
      requestId: open.request_id,
      flow: open.kind === 'node_input' ? 'asking' : 'consent',
      token,
      dueAt: open.due_at === null ? Infinity : Date.parse(open.due_at),
      tries: [],
      isCancelled: false,
    };
    this.questions.set(open.request_id, question);
    const acting = this.#act(question, open.links.form, this.#random.fork(token));
    this.#acting.add(acting);
    acting.finally(() => this.#acting.delete(acting));
  }

  /**
   * @param {Question} question
   * @param {string} link
   * @param {Random} random
   */
  async #act(question, link, random) {
    const choices = question.flow === 'asking' ? CHOICES : APPROVALS;
    const luck = random.next();
    const answer = () =>
      this.#answer(question, random.pick(choices), random.chance(0.5) ? link : undefined, random);
    const { twice, never, cancel } = SHARES;
    if (luck < never && question.flow === 'asking') return;
    await pause(random.integer(0, LONGEST_THOUGHT_MILLISECONDS));
    if (luck < never || luck > never + twice + cancel) await answer();
    else if (luck < never + twice) await Promise.all([answer(), answer()]);
    else await Promise.all([this.#cancel(question, random), random.chance(MEETING_SHARE) && answer()]);
  }

  /**
   * Answers until an answer is taken or refused, as people do who see an error.
   * @param {Question} question
   * @param {string} action
   * @param {string | undefined} link
   * @param {Random} random
   */
  async #answer({ runId, requestId, token, tries }, action, link, random) {
    const url_input = effectUrl(this.#installation.sink.url, `${token}${EDITED}`);
    const values =
      action === 'edit' ? { args: { url_input } } : action === 'respond' ? { message: 'Done by hand.' } : {};
    for (let number = 0; number < MAXIMUM_TRIES; number += 1) {
      const startedAt = Date.now();
      const { status } = await (link === undefined
        ? this.#call('POST', `/api/v2/workflows/${runId}/resume`, {
            request_id: requestId,
            decision: { action_id: action, values },
          })
        : this.#call(
            'POST',
            link,
            new URLSearchParams({
              action_id: action,
              ...(values.args && { args: JSON.stringify(values.args) }),
              ...(values.message && { message: values.message }),
            }),
          ));
      tries.push({ action, door: link === undefined ? 'resume' : 'link', status, startedAt });
      if (status !== 0 && status < 500) return;
      await pause(random.integer(300, 1_000));
    }
  }

  /**
   * @param {Question} question
   * @param {Random} random
   */
  async #cancel(question, random) {
    question.isCancelled = true;
    for (let number = 0; number < MAXIMUM_TRIES; number += 1) {
      const { status } = await this.#call('POST', '/api/v2/workflows/stop', { job_id: question.runId });
      if (status === 200) return;
      await pause(random.integer(300, 1_000));
    }
  }

  /**
   * @param {'GET' | 'POST'} method
   * @param {string} path
   * @param {object | URLSearchParams} [content]
   */
  #call(method, path, content) {
    return callGateway(this.#installation, this.#random, method, path, content);
  }
}
