import { list } from './kinds';
import type { Environment } from './setting-text';

/** For services that run flows or report how they would run. */
export const environmentVariablesSetting = list({
  default: ['*_API_KEY', '*_BASE_URL', '*_API_BASE', '*_ENDPOINT'],
  description:
    "Environment variables that flows can use when neither the request nor the user has a variable of that name; `*` matches any characters. Millrace's own settings are never available. Executors look the variables up; a gateway reports from its own environment whether a flow lacks any.",
});

/** Millrace's own settings contain secrets that no flow can read, whatever the operator allows. */
const RESERVED_NAMES =
  /^(MILLRACE_|OTEL_|DATABASE_(?:DIRECT_|REPLICA_)?URL|DATABASE_PREPARED_STATEMENTS|AMQP_URL|REDIS_URL)/;

/**
 * Returns a lookup for variables that neither the request nor the user has, in the process's environment. It returns
 * only variables that match one of the patterns; `*` matches any characters.
 */
export function environmentVariables(
  environment: Environment,
  patterns: readonly string[],
): (name: string) => string | undefined {
  const allowed = patterns.map((pattern) => pattern.split('*'));
  return (name) =>
    !RESERVED_NAMES.test(name) && allowed.some((parts) => matchesPattern(name, parts))
      ? environment[name]
      : undefined;
}

/** Whether a text consists of these parts with any characters in between; linear in the text for few parts. */
function matchesPattern(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let position = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= text.length - last.length;
}
