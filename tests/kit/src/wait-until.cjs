/**
 * Calls `ask` every 100 ms until it resolves, and resolves to its value. Rejects with its last error when that takes
 * longer than the deadline, and at once when `fatalReason` returns a text.
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {{ readonly deadlineMilliseconds: number, readonly fatalReason?: () => string | undefined }} options
 * @returns {Promise<T>}
 */
async function waitUntil(ask, { deadlineMilliseconds, fatalReason = () => undefined }) {
  const end = Date.now() + deadlineMilliseconds;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const reason = fatalReason();
      if (reason !== undefined) throw new Error(reason, { cause: error });
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

module.exports = { waitUntil };
