import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

/** Scheme, authority, path, query and fragment of an address, as Python divides it. */
const PARTS = /^https?:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z]$/i;
const MAXIMUM_DOMAIN = 253;
const MAXIMUM_PORT = 65_535;
const USER = /^(?:[\u0100-\u024F]|[^"\\\u0080-\u{10FFFF}]*$)/u;
const PATH =
  /^[/a-z0-9\-._~!$&'()*+,;=:@%\u{1F300}-\u{1F5FF}\u{1F600}-\u{1F64F}\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF]+$/iu;
const FRAGMENT = /^[0-9a-z?/:@\-._~%!$&'()*+,;=#]*$/i;

/**
 * Whether an address is one by Langflow's rules: its host is a domain with a dot or an IP address, and each part of its
 * query has an equals sign.
 */
export function isAddress(text: string): boolean {
  const parts = /\s/.test(text) ? null : PARTS.exec(text);
  if (parts === null) return false;
  const [, authority = '', path = '', query = '', fragment = ''] = parts;
  const [host = '', user = '', ...more] = authority.split('@').reverse();
  if (more.length > 0 || !isHost(host) || !isUser(user)) return false;
  return (path === '' || PATH.test(path)) && isQuery(query) && FRAGMENT.test(fragment);
}

function isHost(host: string): boolean {
  const [, bracketed, name = bracketed ?? '', port] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(host) ?? [];
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= MAXIMUM_PORT)) return false;
  if (bracketed !== undefined) return isIPv6(name);
  return isIPv4(name) || isDomain(name);
}

function isDomain(name: string): boolean {
  const encoded = /^[\x21-\x7E]*$/.test(name) ? name : domainToASCII(name);
  return encoded.length <= MAXIMUM_DOMAIN && !name.includes('__') && DOMAIN.test(encoded);
}

function isUser(text: string): boolean {
  const [name = '', ...rest] = text.split(':');
  return USER.test(rest.length > 1 ? text : name);
}

function isQuery(query: string): boolean {
  return (
    query === '' || ['&', ';'].every((separator) => query.split(separator).every((one) => one.includes('=')))
  );
}
