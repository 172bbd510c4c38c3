import type { IncomingHttpHeaders } from 'node:http';

const PREFIX = 'x-langflow-global-var-';
const NONE: Readonly<Record<string, string>> = {};

/** Returns the variables in a request's headers (`X-LANGFLOW-GLOBAL-VAR-NAME: value`) by upper-case name. */
export function headerVariables(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  let variables: Record<string, string> | null = null;
  for (const name in headers) {
    if (!name.startsWith(PREFIX)) continue;
    const value = headers[name];
    variables ??= {};
    variables[name.slice(PREFIX.length).toUpperCase()] = Array.isArray(value)
      ? value.join(', ')
      : (value ?? '');
  }
  return variables ?? NONE;
}
