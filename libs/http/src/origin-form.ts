const SLASH = 0x2f;
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/**
 * Returns path and query of a request target. HTTP/1.1 servers must also accept the absolute form, which clients send
 * to proxies (RFC 9112, section 3.2.2): `http://host/path?query` becomes `/path?query`. Other targets stay unchanged.
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === SLASH) return target;
  const authority = ABSOLUTE.exec(target);
  if (!authority) return target;
  const rest = target.slice(authority[0].length);
  return rest.charCodeAt(0) === SLASH ? rest : `/${rest}`;
}
