/** @import { Client } from 'autocannon' */

/**
 * Times and rate of a load, which autocannon reports too coarsely: its quantiles are whole milliseconds, and it checks once a
 * second whether all requests are answered.
 */
export class Answers {
  #perConnection;
  #now;
  #startedAt;
  #count = 0;
  #milliseconds = 0;
  #isComplete = false;
  /** @type {number[]} */
  #times = [];

  /**
   * @param {number} perConnection how many requests each connection sends
   * @param {() => number} [now] the clock, in milliseconds
   */
  constructor(perConnection, now = () => performance.now()) {
    this.#perConnection = perConnection;
    this.#now = now;
    this.#startedAt = now();
  }

  /** @param {Pick<Client, 'on'>} client a connection */
  follow(client) {
    let own = 0;
    client.on('response', (status, _bytes, milliseconds) => {
      if (status >= 200 && status < 300) this.#times.push(milliseconds);
      if (this.#isComplete) return;
      this.#count += 1;
      this.#milliseconds = this.#now() - this.#startedAt;
      own += 1;
      this.#isComplete = own >= this.#perConnection;
    });
  }

  sortedTimes() {
    return this.#times.sort((left, right) => left - right);
  }

  /** Returns the rate until the first connection has had all its answers: after that, fewer and fewer are sending. */
  perSecond() {
    return this.#count === 0 ? 0 : (this.#count * 1_000) / this.#milliseconds;
  }
}
