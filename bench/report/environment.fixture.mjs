/** A machine for tests of the report. */
export const environment = {
  at: '2026-01-01T00:00:00.000Z',
  revision: 'abc',
  isModified: false,
  node: 'v24',
  v8: '13',
  libraries: {},
  servers: {},
  processors: 2,
  processor: 'one',
  memoryGibibytes: 4,
  system: 'linux',
  loadBefore: 0,
};
