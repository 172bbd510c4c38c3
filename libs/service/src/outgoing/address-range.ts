import ipaddr from 'ipaddr.js';

export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses "10.0.0.0/8" or "::1/128"; a single address is a range of one. Throws for other texts. */
export function parseAddressRange(text: string): AddressRange {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch (error) {
    throw new Error(`must contain address ranges such as 10.0.0.0/8; "${text}" is not one`, { cause: error });
  }
}

/** Whether calls to an address are allowed: it is public unicast, or inside one of the allowed ranges. */
export function isAddressAllowed(address: string, allowed: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = unwrap(ipaddr.parse(address));
  return parsed.range() === 'unicast' || allowed.some((range) => isInRange(parsed, range));
}

/** Whether an address of a peer is in one of the ranges. An IPv4 address can be written as a mapped IPv6 address. */
export function isAddressWithin(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => isInRange(parsed, range));
}

function isInRange(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: AddressRange): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** Extracts an IPv4 address from an IPv6 address that the network would route to it: attackers can use either form. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const bytes = address.toByteArray();
  if (address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return embedded(bytes, 12);
  if (address.match(ipaddr.IPv6.parse('2002::'), 16)) return embedded(bytes, 2);
  const isCompatible = address.match(ipaddr.IPv6.parse('::'), 96) && address.range() === 'unicast';
  return isCompatible ? embedded(bytes, 12) : address;
}

function embedded(bytes: readonly number[], offset: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(bytes.slice(offset, offset + 4));
}
