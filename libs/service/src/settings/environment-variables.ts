import { list } from './kinds';
import type { Environment } from './read-settings';

/** The setting for whoever runs flows or tells how they would run. */
export const environmentVariablesSetting = list({
  default: ['*_API_KEY', '*_BASE_URL', '*_API_BASE', '*_ENDPOINT'],
  description:
    "Environment variables that flows may use when neither the request nor the user has a variable of that name; `*` stands for any characters. Millrace's own settings are never given. Executors look them up; a gateway says from its own environment whether a flow lacks any.",
});

/** Millrace's own settings hold secrets that no flow may read, whatever the operator allows. */
const OWN = /^(MILLRACE_|OTEL_|DATABASE_(?:DIRECT_)?URL|DATABASE_PREPARED_STATEMENTS|AMQP_URL|REDIS_URL)/;

/**
 * Looks up variables that neither the request nor the user has, among those of the process's environment that one of
 * the patterns names; `*` stands for any characters.
 */
export function environmentVariables(
  environment: Environment,
  patterns: readonly string[],
): (name: string) => string | undefined {
  const allowed = patterns.map((pattern) => pattern.split('*'));
  return (name) =>
    !OWN.test(name) && allowed.some((parts) => fits(name, parts)) ? environment[name] : undefined;
}

/** Whether a text is these parts with anything between them; linear in the text for the few parts a pattern has. */
function fits(text: string, parts: readonly string[]): boolean {
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
