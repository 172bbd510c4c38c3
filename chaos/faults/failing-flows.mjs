import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */
/** @import { HttpAnswer } from '../load/http-call.mjs' */

/**
 * @typedef {object} Evidence
 * @property {Record<string, readonly number[]>} ways
 * @property {number} slowest
 * @property {number} succeeded
 * @property {number} withoutRunId
 */

const CALLS = 20;

/** @type {Fault<Evidence>} */
export default {
  id: 'F14',
  title: 'flows fail while their callers wait',
  mustHold:
    'answered ≤ 300 ms after the failure, with the status and the run id; no caller waits until the deadline',
  async inject({ load, note }) {
    const ways = {
      'a component fails': () => load.ask('stream', { input_value: '[[status=400]]' }),
      'a component is unknown': () => load.ask('unrunnable', { input_value: 'x' }),
      'the body is invalid': () => load.ask('run', { input_type: 7 }),
    };
    /** @type {Evidence} */
    const evidence = { ways: {}, slowest: 0, succeeded: 0, withoutRunId: 0 };
    for (const [way, call] of Object.entries(ways)) {
      /** @type {HttpAnswer[]} */
      const answers = [];
      for (let number = 0; number < CALLS; number += 1) answers.push(await call());
      const statuses = [...new Set(answers.map(({ status }) => status))];
      note(`${way}: ${statuses.join(', ')}`);
      evidence.ways[way] = statuses;
      evidence.slowest = Math.max(evidence.slowest, ...answers.map(({ milliseconds }) => milliseconds));
      evidence.succeeded += answers.filter(({ status }) => status < 400).length;
      // A request with an invalid body starts no run.
      if (way !== 'the body is invalid')
        evidence.withoutRunId += answers.filter(({ headers }) => headers['x-run-id'] === undefined).length;
    }
    require(Object.keys(evidence.ways).length === 3, 'not every flow was called');
    return evidence;
  },
  limits: ({ evidence, figures }) => [
    { what: 'failures that were answered as success, or not at all', limit: 0, value: evidence.succeeded },
    { what: 'failed runs answered without their id', limit: 0, value: evidence.withoutRunId },
    { what: 'callers without an answer in time', limit: 0, value: figures.hung },
    { what: 'slowest answer (ms)', limit: 300, value: evidence.slowest, isTiming: true },
  ],
};
