/** @import { Answer, Ledger } from './load/ledger.mjs' */

/** @typedef {ReturnType<typeof figuresOf>} Figures */

/**
 * Returns figures of the answers to requests that started between two times.
 * @param {Ledger} ledger
 * @param {{ readonly from?: number, readonly to?: number }} [times]
 */
export function figuresOf(ledger, { from = 0, to = Infinity } = {}) {
  const answers = ledger.answers(from, to);
  /** @param {...string} kinds */
  const of = (...kinds) => answers.filter(({ kind }) => kinds.includes(kind));
  const unavailable = answers.filter(({ status }) => status === 503);
  return {
    webhooks: summary(of('webhook'), 202),
    runs: summary(of('run'), 200),
    keyed: summary(of('keyed'), 200),
    python: summary(of('python'), 200),
    streams: summary(of('stream'), 200),
    deliveries: summary(of('delivery'), 202),
    serverErrors: answers.filter(({ status }) => status >= 500).length,
    unavailableWithoutRetryAfter: unavailable.filter(({ retryAfter }) => retryAfter === undefined).length,
    hung: answers.filter(({ problem }) => problem === 'NO_ANSWER').length,
    halfAnswers: answers.filter(({ status, begun }) => status === 0 && begun !== undefined).length,
    broken: answers.filter(({ status }) => status === 0).length,
    statuses: countBy(answers.map(({ kind, status, problem }) => `${kind} ${status || problem}`)),
  };
}

/**
 * @param {readonly string[]} names
 * @returns {Record<string, number>}
 */
export function countBy(names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
}

/**
 * @param {readonly Answer[]} answers
 * @param {number} goodStatus
 */
function summary(answers, goodStatus) {
  const good = answers.filter(({ status }) => status === goodStatus);
  const times = good.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  /** @param {number} share */
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? null;
  const refusedPercent = answers.length === 0 ? 0 : (100 * (answers.length - good.length)) / answers.length;
  return {
    sent: answers.length,
    good: good.length,
    refusedPercent: Number(refusedPercent.toFixed(2)),
    p50: at(0.5),
    p99: at(0.99),
  };
}
