import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */
/** @import { HttpAnswer } from '../load/http-call.mjs' */

/**
 * @typedef {object} Evidence
 * @property {number} answers
 * @property {number} notWell
 * @property {number} runs
 * @property {number} bodies
 * @property {readonly number[]} otherStatuses
 */

const PARALLEL = 200;
const RUN_MILLISECONDS = 500;

/** @type {Fault<Evidence>} */
export default {
  id: 'F13',
  title: 'two hundred parallel requests have the same Idempotency-Key, then one has it with another body',
  mustHold:
    'one run, two hundred equal answers; another body is refused with 422, during the run and after it',
  async inject({ load, note }) {
    const key = load.nextName('same-key');
    const body = { input_value: `${key}/${RUN_MILLISECONDS}`, session_id: key };
    /** @param {unknown} given */
    const call = (given) => load.ask('run', given, { 'idempotency-key': key });
    const parallel = Array.from({ length: PARALLEL }, () => call(body));
    const meanwhile = pause(RUN_MILLISECONDS / 2).then(() => call({ input_value: 'other' }));
    const first = await Promise.race(parallel);
    require(first.status === 200, `a caller was answered with ${first.status}`);
    const answers = await Promise.all(parallel);
    const others = [await meanwhile, await call({ input_value: 'other' })];
    const again = await call(body);
    /** @param {(answer: HttpAnswer) => unknown} read */
    const distinct = (read) => new Set([...answers, again].map(read)).size;
    const evidence = {
      answers: answers.length,
      notWell: answers.filter(({ status }) => status !== 200).length,
      runs: distinct(({ headers }) => headers['x-run-id']),
      bodies: distinct((answer) => answer.body),
      otherStatuses: others.map(({ status }) => status),
    };
    note(`${evidence.answers} answers, ${evidence.runs} runs, ${evidence.bodies} different answers`);
    return evidence;
  },
  limits: ({ evidence }) => [
    { what: 'answers other than 200', limit: 0, value: evidence.notWell },
    { what: 'runs', limit: 1, value: evidence.runs },
    { what: 'different answers', limit: 1, value: evidence.bodies },
    {
      what: 'other bodies that were not refused with 422',
      limit: 0,
      value: evidence.otherStatuses.filter((status) => status !== 422).length,
    },
  ],
};
