/**
 * @typedef {object} Suite
 * @property {string} project
 * @property {readonly string[]} files
 * @property {string} [name] a pattern of test titles
 * @property {boolean} [isolated]
 */

/** @type {(files: readonly string[], name?: string) => Suite} */
const gateway = (files, name) => ({ project: 'apps/gateway', files, name });
/** @type {(files: readonly string[], name?: string) => Suite} */
const ingest = (files, name) => ({ project: 'apps/ingest', files, name });

/**
 * The kinds of hostile input: by row, a title and the test suites that cover it.
 * @type {Readonly<Record<string, { readonly what: string, readonly suites: readonly Suite[] }>>}
 */
export const badInputRows = {
  S1: { what: 'signatures: five schemes, their vectors', suites: [ingest(['signatures.test'])] },
  S2: {
    what: 'one delivery sent many times, in parallel and later, is one run',
    suites: [
      ingest(['src/ingest.test'], 'runs one delivery once'),
      { project: 'libs/runs', files: ['stores.test.ts'], name: 'acceptance of runs' },
    ],
  },
  S3: {
    what: 'replays and edited ids',
    suites: [ingest(['signatures.test'], '301 s|290 s|without a timestamp|with another id')],
  },
  S4: { what: 'ids of another user', suites: [gateway(['tenants.test'])] },
  S5: {
    what: 'bodies that are deep, large, packed or broken',
    suites: [
      gateway(['hostile-bodies.test', 'raw-requests.test'], 'S5'),
      ingest(['src/ingest.test'], 'that grows too large'),
    ],
  },
  S6: {
    what: 'slow senders and readers',
    suites: [
      gateway(['slow-peers.test']),
      ingest(['slow-senders.test']),
      gateway(['resources/runs/streamed-runs.test'], 'a reader that is too slow'),
    ],
  },
  S7: {
    what: 'flows that do not end',
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
    what: 'bodies with very many members or levels, and many large ones in parallel',
    suites: [gateway(['large-bodies.test']), ingest(['src/ingest.test'], 'limits the members')],
  },
};
