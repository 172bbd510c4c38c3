import { readFileSync, statSync } from 'node:fs';

const MAXIMUM_BYTES = 16_777_216;

/**
 * Reads the JSON file that a setting names, of up to 16 MiB. Throws an Error that ends a sentence beginning with the name
 * of the setting.
 */
export function readJsonFile(path: string): unknown {
  try {
    if (statSync(path).size > MAXIMUM_BYTES) throw new Error(`it is larger than ${MAXIMUM_BYTES} bytes`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`must name a readable JSON file: ${(error as Error).message}`, { cause: error });
  }
}
