import { ComponentError, namesVariable } from '@millrace/flow';
import type { PlanField } from '@millrace/flow';
import { errorText } from './error-text';
import type { OngoingRun } from './ongoing-run';

const HIDDEN = '[hidden]';
/** Hiding shorter values would remove words and numbers from errors. */
const MINIMUM_SECRET_LENGTH = 8;

/**
 * Returns the error without the secrets of this run. Some services repeat a key in their error, and errors are returned to
 * callers, stored and logged. Returns the same error when it contains none.
 */
export function redactSecrets(run: OngoingRun, error: unknown): unknown {
  const secrets = secretsOf(run);
  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  if (error instanceof ComponentError) return redactedComponentError(error, hide);
  const text = errorText(error);
  const redacted = hide(text);
  if (redacted === text) return error;
  const permanent =
    typeof error === 'object' && error !== null && 'permanent' in error ? error.permanent : true;
  return Object.assign(new Error(redacted), { permanent });
}

/** Hides the secrets of an error also in what is shown of it and of the one before it. */
function redactedComponentError(error: ComponentError, hide: (text: string) => string): ComponentError {
  const { message, kind, said, exceptionCode, permanent } = error;
  const code = typeof exceptionCode === 'string' ? hide(exceptionCode) : exceptionCode;
  const shown = error.shown === error ? undefined : redactedComponentError(error.shown, hide);
  const cause = error.cause instanceof ComponentError ? redactedComponentError(error.cause, hide) : undefined;
  const isSame =
    hide(message) === message &&
    (said === undefined || hide(said) === said) &&
    code === exceptionCode &&
    (shown ?? error) === error.shown &&
    (cause === undefined || cause === error.cause);
  if (isSame) return error;
  return new ComponentError(hide(message), cause, {
    kind,
    permanent,
    ...(said !== undefined && { said: hide(said) }),
    ...(code !== undefined && { exceptionCode: code }),
    ...(shown !== undefined && { shown }),
  });
}

/**
 * Returns the values of secret fields, of the variables that were looked up so far, of those of the request, and what
 * components hid; the longest first.
 */
function secretsOf(run: OngoingRun): readonly string[] {
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
  for (const value of run.knownVariables.values()) add(value);
  for (const text of run.credentials) add(text);
  for (const value of Object.values(run.request.globalVariables)) add(value);
  return [...found].sort((left, right) => right.length - left.length);
}
