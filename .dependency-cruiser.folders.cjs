// Cycles of folders, in a run of their own: a rule for folders cannot leave out the imports of tests.
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no-folder-cycle',
      comment: 'Move what both folders need to the lower one, or to a folder below both.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    ...options,
    // What a test uses of another folder says nothing about the code of its own.
    exclude: { path: [options.exclude.path, '\\.(test|contract|fixture)\\.(ts|tsx|mjs)$', '/testing/'] },
  },
};
