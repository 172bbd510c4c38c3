/** For esbuild: everything imported by name stays outside of a bundle, except this workspace's own projects. */
export const packagesOutside = {
  name: 'packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@millrace/') ? undefined : { path, external: true },
    );
  },
};
