import type { Environment } from '@millrace/service';

/** Millrace's own settings hold secrets that no flow may read, whatever the operator allows. */
const OWN = /^(MILLRACE_|OTEL_|DATABASE_URL|AMQP_URL|REDIS_URL)/;

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
