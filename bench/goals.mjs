/** Returns a goal with a lower bound. */
export function atLeast(what, value, limit) {
  return { what, value, bound: `at least ${limit}`, holds: value >= limit };
}

/** Returns a goal with an upper bound. */
export function atMost(what, value, limit) {
  return { what, value, bound: `at most ${limit}`, holds: value <= limit };
}
