/* global afterAll, afterEach, beforeAll, beforeEach */
/**
 * @typedef {{ close(): unknown } | { stop(): unknown }} Closable
 */

/**
 * Opens what the tests of a file or group share before the first one, and closes it after the last one. What it returns has the
 * members of what was opened, and none before.
 * @template {Closable} T
 * @param {() => T | Promise<T>} open
 * @returns {T}
 */
function forAllTests(open) {
  return opened(open, beforeAll, afterAll);
}

/**
 * Opens something before each test of a file or group, and closes it after the test. What it returns has the members of what was
 * opened last.
 * @template {Closable} T
 * @param {() => T | Promise<T>} open
 * @returns {T}
 */
function forEachTest(open) {
  return opened(open, beforeEach, afterEach);
}

/**
 * @template {Closable} T
 * @param {() => T | Promise<T>} open
 * @param {typeof beforeAll} before
 * @param {typeof afterAll} after
 * @returns {T}
 */
function opened(open, before, after) {
  /** @type {T | undefined} */
  let current;
  before(async () => {
    current = await open();
  });
  after(async () => {
    const closing = current;
    current = undefined;
    if (closing !== undefined) await ('close' in closing ? closing.close() : closing.stop());
  });
  const get = (/** @type {object} */ _, /** @type {PropertyKey} */ name) => {
    const value = current === undefined ? undefined : Reflect.get(current, name);
    // A method of a class can use private members, which this object lacks.
    const isOfClass = current !== undefined && Object.getPrototypeOf(current) !== Object.prototype;
    return isOfClass && typeof value === 'function' ? value.bind(current) : value;
  };
  return /** @type {T} */ (
    new Proxy(
      {},
      {
        get,
        has: (_, name) => name in (current ?? {}),
        ownKeys: () => Reflect.ownKeys(current ?? {}),
        getOwnPropertyDescriptor: (_, name) => {
          const found = Reflect.getOwnPropertyDescriptor(current ?? {}, name);
          return found && { ...found, configurable: true };
        },
      },
    )
  );
}

module.exports = { forAllTests, forEachTest };
