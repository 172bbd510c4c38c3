// Import cycles, those of types included. A file that imports another one's file, and is imported by it, cannot be read
// or moved without it.
const RECURSIVE_TYPE = '^libs/python-text/src/values/(python-value|data|data-frame|message)\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-import-cycle',
      comment: 'Move what both files need to a file of its own.',
      severity: 'error',
      // A Python value can be a table, a Data or a Message, and these contain Python values.
      from: { pathNot: RECURSIVE_TYPE },
      to: { circular: true },
    },
    {
      name: 'no-import-cycle-through-values',
      severity: 'error',
      from: { path: RECURSIVE_TYPE },
      to: { circular: true, viaOnly: { pathNot: RECURSIVE_TYPE } },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|out-tsc|node_modules)/' },
  },
};
