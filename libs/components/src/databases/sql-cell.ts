import { parsePythonJson, PythonFloat } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** An integer of any size. */
export function integerCell(digits: string | bigint): PythonValue {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** A number that Python would have as a float, or as a Decimal. */
export function floatCell(text: string | number): PythonFloat {
  return new PythonFloat(Number(text));
}

/** Bytes: as text where they are text, else in hexadecimal digits. */
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
