/**
 * Returns every host in the web addresses of a text, without ports.
 * @param {string} text
 */
export function hostsIn(text) {
  const hosts = [...text.matchAll(/https?:(?:\\?\/){2}([a-z0-9-]+(?:\.[a-z0-9-]+)*)/gi)].map(([, host]) =>
    host.toLowerCase(),
  );
  return [...new Set(hosts)].filter(
    (host) =>
      host !== 'localhost' &&
      host.length <= 253 &&
      host.split('.').every((label) => label.length > 0 && label.length < 64 && !/^-|-$/.test(label)),
  );
}
