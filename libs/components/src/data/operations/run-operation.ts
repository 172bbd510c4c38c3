import { ComponentError } from '@millrace/flow';

/** Runs the chosen operation; returns null without a choice. Throws a ComponentError for an unknown operation. */
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
