import { parsePythonJson, PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Converts an integer of any size. */
export function integerCell(digits: string | bigint): PythonValue {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Converts a number that is a float or a Decimal in Python. */
export function floatCell(text: string | number): PythonFloat {
  return new PythonFloat(Number(text));
}

/** Converts bytes to text if they are valid UTF-8, otherwise to hexadecimal digits. */
export function bytesCell(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return `0x${Buffer.from(bytes).toString('hex')}`;
  }
}

export function jsonCell(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return text;
  }
}
