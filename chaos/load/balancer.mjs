import { post } from './http-call.mjs';

/** Spreads calls over the instances of a service as a proxy before them would: one that refuses is passed over. */
export class Balancer {
  #urls;
  #random;

  constructor(urls, random) {
    this.#urls = urls;
    this.#random = random;
  }

  /** As `post`, to a path. */
  async post(path, body, options) {
    let answer;
    for (const url of this.#random.shuffled(this.#urls)) {
      answer = await post(`${url}${path}`, body, options);
      if (answer.problem !== 'ECONNREFUSED') return answer;
    }
    return answer;
  }
}
