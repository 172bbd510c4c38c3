import { namesVariable } from '@millrace/flow';
import type { PlanField } from '@millrace/flow';
import { errorText } from './failure-message';
import type { OngoingRun } from './ongoing-run';

const HIDDEN = '[hidden]';
/** Shorter values are not keys; redacting them would remove words from errors. */
const MINIMUM_SECRET_LENGTH = 8;
const secretNames = /key|token|secret|password|credential/i;

/**
 * Returns the error with the keys of this run redacted. Some services repeat the key in their error, and errors are
 * returned to callers, stored and logged. Returns the same error when it contains no key.
 */
export function redactSecrets(run: OngoingRun, error: unknown): unknown {
  const text = errorText(error);
  const redacted = withoutAll(
    text,
    secretsOf(run, (name) => secretNames.test(name)),
  );
  if (redacted === text) return error;
  const permanent =
    typeof error === 'object' && error !== null && 'permanent' in error ? error.permanent : true;
  return Object.assign(new Error(redacted), { permanent });
}

/** Returns the text without the values of secret fields and of all variables that the run has read. */
export function redactValues(run: OngoingRun, text: string): string {
  return withoutAll(
    text,
    secretsOf(run, () => true),
  );
}

function withoutAll(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** Returns the values of secret fields and of the variables with these names, the longest first. */
function secretsOf(run: OngoingRun, isSecret: (variable: string) => boolean): readonly string[] {
  const found = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= MINIMUM_SECRET_LENGTH) found.add(value);
  };
  const addField = (field: PlanField): void =>
    add(namesVariable(field) ? run.knownVariables.get(field.value) : field.value);
  for (const { index, component, fields } of run.plan.vertices) {
    for (const [name, input] of Object.entries(component?.inputs ?? {})) {
      if (input.password !== true) continue;
      const field = run.overrides.get(index)?.fields.get(name) ?? fields.get(name);
      if (field !== undefined) addField(field);
    }
  }
  for (const [name, value] of run.knownVariables) if (isSecret(name)) add(value);
  return [...found].sort((left, right) => right.length - left.length);
}
