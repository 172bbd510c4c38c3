/** Calls `ask` repeatedly until it resolves; rejects with its last error when that takes too long. */
export async function waitUntil(ask, { deadlineMilliseconds, fatalReason = () => undefined }) {
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
