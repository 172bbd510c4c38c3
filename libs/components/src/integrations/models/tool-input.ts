/** Returns the arguments of a call as an object; malformed arguments have already been answered with an error. */
export function toolInput(argumentsText: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(argumentsText);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
