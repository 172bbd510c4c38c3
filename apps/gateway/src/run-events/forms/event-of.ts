import { parsePythonJson } from '@millrace/python-text';

export type EventData = Readonly<Record<string, unknown>>;

/** Parses the JSON text of an event. Numbers keep their kind, so that the event can be written again. */
export function eventOf(text: string): { readonly event: string; readonly data: EventData } {
  const { event, data } = parsePythonJson(text) as { readonly event: string; readonly data: unknown };
  return { event, data: objectOf(data) };
}

/** Returns a value if it is an object, or else an empty one. */
export function objectOf(value: unknown): EventData {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as EventData) : {};
}

/** Returns a value if it is an array, or else an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
