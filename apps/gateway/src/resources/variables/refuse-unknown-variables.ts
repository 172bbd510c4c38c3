import { brokerUrlProblem } from '@millrace/dispatch';
import type { VariableReference } from './variable-references';
import type { VariableStore } from '@millrace/runs';
import type { Location, ValidationItem } from '../../http/validation/validation-item';
import { invalidRequest } from '../../http/validation/validator';

type Variables = Pick<VariableStore, 'find'>;

/** Throws invalid_request with an item for each reference to a variable that the user does not have, or that is of no use. */
export async function refuseUnknownVariables(
  variables: Variables,
  userId: string,
  references: readonly VariableReference[],
  base: Location,
): Promise<void> {
  if (references.length === 0) return;
  const problems = await Promise.all(
    references.map((reference) => variableProblem(variables, userId, reference)),
  );
  const items = references.flatMap(({ path, name }, index): ValidationItem[] => {
    const msg = problems[index] ?? null;
    return msg === null ? [] : [{ type: 'variable_unknown', loc: [...base, ...path], msg, input: name }];
  });
  if (items.length > 0) throw invalidRequest(items);
}

/** Resolves to why a variable cannot be used; null when it can. */
export async function variableProblem(
  variables: Variables,
  userId: string,
  { name, holds }: Pick<VariableReference, 'name' | 'holds'>,
): Promise<string | null> {
  const found = await variables.find(userId, name);
  if (holds === 'text') return found ? null : `The variable ${name} does not exist.`;
  if (!found?.isCredential) return `The variable ${name} of type Credential does not exist.`;
  const problem = brokerUrlProblem(found.value);
  return problem === null ? null : `The value of the variable ${name} ${problem}.`;
}
