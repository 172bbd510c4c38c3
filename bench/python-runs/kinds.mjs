// The components of `bench/python-runs.mjs`, and what a run of each has to give.

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {number} share of 100 runs
 * @property {string} code
 * @property {unknown} [value] what the output has to be; anything where it is missing
 * @property {string} [error] a part of the error that the run has to end with
 * @property {boolean} [cancelled] the caller cancels the run while the component is at work
 */

/**
 * Returns the kinds of runs. `texts` are the texts of the pool's tests, `url` is the service that components call.
 * @param {Record<string, any>} texts
 * @param {string} url
 * @returns {Kind[]}
 */
export function kindsOfRuns(texts, url) {
  const call = `import urllib.request\nreturn urllib.request.urlopen(${JSON.stringify(url)}).read().decode()`;
  return [
    { name: 'counts', share: 40, code: texts.counts, value: 1 },
    { name: 'streams', share: 20, code: texts.streams, value: 'abc' },
    { name: 'asks the host', share: 15, code: texts.asks, value: 'variable' },
    { name: 'calls a service', share: 7, code: texts.method('calls', call), value: 'answer' },
    { name: 'makes an object', share: 5, code: texts.makes },
    { name: 'fails', share: 5, code: texts.fails, error: 'The number is wrong.' },
    { name: 'leaves a thread', share: 3, code: texts.leaves },
    { name: 'is cancelled', share: 3, code: texts.waits, cancelled: true },
    { name: 'ends its process', share: 2, code: texts.exits, error: 'exit status 3' },
  ];
}

/**
 * Returns the kind of a run, so that each owner has runs of all kinds.
 * @param {readonly Kind[]} kinds
 */
export function anyKind(kinds) {
  let left = Math.random() * kinds.reduce((sum, { share }) => sum + share, 0);
  return kinds.find(({ share }) => (left -= share) < 0) ?? kinds[0];
}

/**
 * Runs the kind and returns `done` when the run ended as it has to, and `killed` when its process or the zygote was
 * killed. Throws an Error for any other end.
 * @param {Kind} kind
 * @param {(code: string, signal: AbortSignal) => Promise<unknown>} run
 * @param {boolean} kills processes are killed at random
 * @returns {Promise<'done' | 'killed'>}
 */
export async function endOfRun(kind, run, kills) {
  const caller = new AbortController();
  const timer = kind.cancelled ? setTimeout(() => caller.abort(), Math.random() * 100) : undefined;
  try {
    const value = textOf(await run(kind.code, caller.signal));
    const isRight = 'value' in kind ? value === kind.value : kind.error === undefined && !kind.cancelled;
    if (!isRight) throw new Error(`a run that ${kind.name} gave ${JSON.stringify(value)}`);
    return 'done';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (kind.cancelled && caller.signal.aborted) return 'done';
    if (kind.error !== undefined && message.includes(kind.error)) return 'done';
    if (kills && /Python process/.test(message)) return 'killed';
    throw new Error(`a run that ${kind.name} ended with: ${message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
}
