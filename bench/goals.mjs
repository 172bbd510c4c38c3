/** @import { Goal } from './scenario.ts' */

/**
 * Returns a goal with a lower bound.
 * @param {string} what
 * @param {number} value
 * @param {number} limit
 * @returns {Goal}
 */
export function atLeast(what, value, limit) {
  return { what, value, bound: `at least ${limit}`, holds: value >= limit };
}

/**
 * Returns a goal with an upper bound.
 * @param {string} what
 * @param {number} value
 * @param {number} limit
 * @returns {Goal}
 */
export function atMost(what, value, limit) {
  return { what, value, bound: `at most ${limit}`, holds: value <= limit };
}
