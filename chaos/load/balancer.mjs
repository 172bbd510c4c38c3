import { Agent } from 'node:http';
import { post } from './http-call.mjs';

/** Of all calls: those that go over connections that are kept open, the others open one each. */
const KEPT_SHARE = 0.5;
/** Below the time that services drain: a connection that is closed while it is idle could just be taken for a call. */
const MAXIMUM_IDLE_MILLISECONDS = 1_000;

/**
 * Spreads calls over the instances of a service as a proxy before them would: only over those that are ready, passing
 * over one that refuses, and keeping connections until it is told to close them.
 */
export class Balancer {
  #members;
  #random;
  #agent = new Agent({ keepAlive: true, timeout: MAXIMUM_IDLE_MILLISECONDS, scheduling: 'fifo' });

  /** `members` are ReadyMembers. */
  constructor(members, random) {
    this.#members = members;
    this.#random = random;
  }

  /** As `post`, to a path. */
  async post(path, body, options) {
    const agent = this.#random.chance(KEPT_SHARE) ? this.#agent : undefined;
    let answer;
    for (const url of this.#random.shuffled(this.#members.urls)) {
      answer = await post(`${url}${path}`, body, { ...options, agent });
      if (answer.problem !== 'ECONNREFUSED') return answer;
      this.#members.refused(url);
    }
    return answer;
  }

  close() {
    this.#agent.destroy();
  }
}
