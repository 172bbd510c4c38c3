const gateway = (files, name) => ({ project: 'apps/gateway', files, name });
const ingest = (files, name) => ({ project: 'apps/ingest', files, name });

/** What hostile callers try, and which tests try it: by row, its suites. */
export const badInputRows = {
  S1: { what: 'signatures: five schemes, their vectors', suites: [ingest(['signatures.test'])] },
  S2: {
    what: 'one delivery many times, at once and later, is one run',
    suites: [
      ingest(['src/ingest.test'], 'one delivery is one run'),
      { project: 'libs/runs', files: ['stores.test.ts'], name: 'acceptance of runs' },
    ],
  },
  S3: {
    what: 'replays and edited ids',
    suites: [ingest(['signatures.test'], '301 s|290 s|without a time|under another id')],
  },
  S4: { what: 'ids of somebody else', suites: [gateway(['src/tenants.test'])] },
  S5: {
    what: 'bodies that are deep, large, packed or broken',
    suites: [
      gateway(['hostile-bodies.test', 'raw-requests.test'], 'S5'),
      ingest(['src/ingest.test'], 'a body that grows too large'),
    ],
  },
  S6: {
    what: 'slow senders and readers',
    suites: [
      gateway(['slow-peers.test']),
      ingest(['slow-senders.test']),
      gateway(['src/runs.test'], 'a reader that lags too far'),
    ],
  },
  S7: {
    what: 'flows without an end',
    suites: [{ project: 'apps/standalone', files: ['hostile-flows.test'] }],
  },
  S8: {
    what: 'calls to private addresses',
    suites: [
      {
        project: 'libs/service',
        files: ['hostile-addresses.test', 'create-outgoing-fetch.test'],
        isolated: true,
      },
    ],
  },
  S9: { what: 'any request at any route', suites: [gateway(['any-request.test'])] },
  S10: { what: 'texts of every kind', suites: [gateway(['hostile-texts.test'])] },
  S11: {
    what: 'bodies of very many members or levels, and many large ones at once',
    suites: [gateway(['large-bodies.test']), ingest(['src/ingest.test'], 'bound on its members')],
  },
};
