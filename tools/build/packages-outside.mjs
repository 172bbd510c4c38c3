/**
 * An esbuild plugin that keeps npm packages out of a bundle; projects of this workspace are bundled.
 * @type {import('esbuild').Plugin}
 */
export const packagesOutside = {
  name: 'packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@millrace/') ? undefined : { path, external: true },
    );
  },
};
