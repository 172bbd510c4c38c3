/** Returns the arguments of a call as an object; malformed arguments have already been answered with an error. */
export function toolInput(argumentsText: string): Readonly<Record<string, unknown>> {
  return objectIn(argumentsText) ?? {};
}

/** Returns the arguments of a call as the text of a JSON object, which strict servers require. */
export function toolInputText(argumentsText: string): string {
  return objectIn(argumentsText) === null ? '{}' : argumentsText;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
