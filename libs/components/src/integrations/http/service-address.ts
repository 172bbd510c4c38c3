import { ComponentError } from '@millrace/flow';

/**
 * Returns a server's URL without a trailing slash; https is the default protocol. Throws for text that is no URL, and for a
 * URL with a query, which calls of a service do not have.
 */
export function serviceAddress(text: string, service: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ComponentError(`${service} needs an address; the field for it is empty.`);
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (whole.includes('?')) throw new ComponentError(`The address of ${service} must not have a query.`);
  try {
    const { protocol, origin, pathname } = new URL(whole);
    if (protocol === 'http:' || protocol === 'https:')
      return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '');
  } catch {
    // Reported below.
  }
  throw new ComponentError(`The address of ${service} is not a web address.`);
}
