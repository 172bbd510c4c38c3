import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { inDocumentThread } from './document-thread';

/** Parses a YAML text like PyYAML's `safe_load`; dates are texts. */
export async function readYaml(text: string, signal: AbortSignal): Promise<PythonValue> {
  return valueOf(await inDocumentThread({ program: 'markup', task: 'yaml', content: text }, signal));
}

function valueOf(given: unknown): PythonValue {
  if (Array.isArray(given)) return given.map(valueOf);
  switch (typeof given) {
    case 'bigint':
      return Number.isSafeInteger(Number(given)) ? Number(given) : given;
    case 'number':
      return Number.isInteger(given) ? new PythonFloat(given) : given;
    case 'object':
      if (given === null) return null;
      return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, valueOf(value)]));
    case 'string':
    case 'boolean':
      return given;
    default:
      return null;
  }
}
