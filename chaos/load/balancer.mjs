import { Agent } from 'node:http';
import { post } from './http-call.mjs';

/** @import { ReadyMembers } from '../ready-members.mjs' */
/** @import { Random } from '../random.mjs' */
/** @import { HttpAnswer, PostOptions } from './http-call.mjs' */

/** The share of calls on kept-alive connections; each other call opens its own. */
const KEEP_ALIVE_SHARE = 0.5;
/** Shorter than the drain time of services, so that a service does not close a connection on which a call has just begun. */
const MAXIMUM_IDLE_MILLISECONDS = 1_000;

/**
 * Spreads calls over the instances of a service as a reverse proxy does: only over instances that are ready, skipping one
 * that refuses, and keeping connections until an answer closes them.
 */
export class Balancer {
  #members;
  #random;
  #agent = new Agent({ keepAlive: true, timeout: MAXIMUM_IDLE_MILLISECONDS, scheduling: 'fifo' });

  /**
   * @param {ReadyMembers} members
   * @param {Random} random
   */
  constructor(members, random) {
    this.#members = members;
    this.#random = random;
  }

  /**
   * Posts to a path of a ready instance; resolves as `post`.
   * @param {string} path
   * @param {unknown} body
   * @param {PostOptions} options
   * @returns {Promise<HttpAnswer>}
   */
  async post(path, body, options) {
    const agent = this.#random.chance(KEEP_ALIVE_SHARE) ? this.#agent : undefined;
    const urls = this.#random.shuffled(this.#members.urls);
    for (let tries = 1; ; tries += 1) {
      const url = urls[tries - 1];
      const answer = await post(`${url}${path}`, body, { ...options, agent });
      if (answer.problem !== 'ECONNREFUSED') return answer;
      this.#members.refused(url);
      if (tries === urls.length) return answer;
    }
  }

  close() {
    this.#agent.destroy();
  }
}
