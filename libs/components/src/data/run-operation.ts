import { ComponentError } from '@millrace/flow';

/** Does the operation that was chosen; null when none was. Throws a ComponentError for one that does not exist. */
export function runOperation<Operation, Result>(
  operations: Readonly<Record<string, Operation>>,
  [name]: readonly string[],
  run: (operation: Operation, name: string) => Result,
): Result | null {
  if (name === undefined) return null;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) throw new ComponentError(`Unsupported operation: ${name}`);
  return run(operation, name);
}
