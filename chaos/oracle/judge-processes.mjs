const MEBIBYTE = 1024 * 1024;
const CEILINGS = {
  gateway: { residentBytes: 250 * MEBIBYTE, files: 200 },
  ingest: { residentBytes: 250 * MEBIBYTE, files: 200 },
  executor: { residentBytes: 400 * MEBIBYTE, files: 200 },
};

/** What processes may use, say and keep open. */
export function judgeProcesses({ logs, observer, atBroker }) {
  return [
    { id: 'I6', promise: 'no error reaches nobody', found: logs.unhandled },
    { id: 'I7', promise: 'memory and files stay below their ceilings', found: overCeilings(observer) },
    {
      id: 'I7',
      promise: 'the broker has as many connections and channels as before',
      found: leaks(atBroker),
    },
    {
      id: 'I9',
      promise: 'no log holds a secret',
      found: logs.leaks.map(({ canary, line }) => `${canary} in: ${line}`),
    },
  ];
}

function overCeilings({ peaks }) {
  const found = [];
  for (const [name, peak] of peaks)
    for (const [what, limit] of Object.entries(CEILINGS[name.split('-')[0]]))
      if (peak[what] > limit) found.push(`${name} had ${what} of ${peak[what]}, more than ${limit}`);
  return found;
}

function leaks({ before, after }) {
  return Object.keys(before)
    .filter((what) => before[what] !== after[what])
    .map((what) => `${before[what]} ${what} before, ${after[what]} after`);
}
