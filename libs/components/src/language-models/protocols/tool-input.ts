/** The arguments of a call as the object they are; those that are none were answered with an error already. */
export function toolInput(argumentsText: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(argumentsText);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
