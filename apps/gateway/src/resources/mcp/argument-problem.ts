import { parsePythonJson, repr } from '@millrace/python-text';

/**
 * Returns what is wrong with the arguments of a tool, for the model that calls it; null when they can be used. A model that
 * invents an argument or sends one of another type would get the answer to an empty message.
 */
export function argumentProblem(given: Readonly<Record<string, unknown>>): string | null {
  const names = Object.keys(given);
  const wrong = TEXTS.find((name) => typeof (given[name] ?? '') !== 'string');
  if (wrong !== undefined) {
    const value = repr(parsePythonJson(JSON.stringify(given[wrong]))).slice(0, 100);
    return `Input validation error: ${value} is not of type 'string'`;
  }
  const unknown = names.find((name) => !TEXTS.includes(name));
  if (unknown === undefined || names.includes('input_value')) return null;
  return `The tool has no argument ${unknown.slice(0, 100)}; the message is input_value.`;
}

const TEXTS: readonly string[] = ['input_value', 'session_id'];
