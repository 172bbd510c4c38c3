import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/**
 * Does work whose result is JSON as a step of a durable run: a further attempt gets the recorded result. See
 * `ComponentContext.findStep`.
 */
export async function recordedStep<Result extends object>(
  context: ComponentContext,
  name: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!context.recordsEffects) return work();
  const earlier = await context.findStep(name());
  if (earlier !== undefined) return earlier as unknown as Result;
  const result = await work();
  await context.recordStep(name(), plain(result));
  return result;
}

/** Leaves out members that are undefined, which JSON does not have. */
export function plain(value: object): PythonValue {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as PythonValue;
}
