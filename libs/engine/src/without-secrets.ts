import { namesVariable } from '@millrace/flow';
import type { PlanField } from '@millrace/flow';
import { errorText } from './failure-message';
import type { OngoingRun } from './ongoing-run';

const HIDDEN = '[hidden]';
/** Shorter values are no keys; hiding them would take words out of errors. */
const SHORTEST_SECRET = 8;
const secretNames = /key|token|secret|password|credential/i;

/**
 * The error, but without the keys this run works with: services now and then say back what they were called with, and
 * errors are told to callers, stored and logged. The same error where it holds none.
 */
export function withoutSecrets(run: OngoingRun, error: unknown): unknown {
  const text = errorText(error);
  let told = text;
  for (const secret of secretsOf(run)) told = told.replaceAll(secret, HIDDEN);
  if (told === text) return error;
  const permanent =
    typeof error === 'object' && error !== null && 'permanent' in error ? error.permanent : true;
  return Object.assign(new Error(told), { permanent });
}

/** What fields for secrets hold and what variables that are called like secrets say, the longest first. */
function secretsOf(run: OngoingRun): readonly string[] {
  const found = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= SHORTEST_SECRET) found.add(value);
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
  for (const [name, value] of run.knownVariables) if (secretNames.test(name)) add(value);
  return [...found].sort((left, right) => right.length - left.length);
}
