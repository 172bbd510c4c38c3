/** A figure that should not be smaller. */
export function atLeast(what, value, limit) {
  return { what, value, bound: `at least ${limit}`, holds: value >= limit };
}

/** A figure that should not be larger. */
export function atMost(what, value, limit) {
  return { what, value, bound: `at most ${limit}`, holds: value <= limit };
}
