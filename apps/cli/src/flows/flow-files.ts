import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedFlow } from '@millrace/gateway';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

/** A flow as exports and the HTTP interface write it. */
export type FlowJson = AppliedFlow;

/** Returns the JSON files of folders, sorted, and the other paths unchanged. Throws CliError for a path without files. */
export function flowFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new CliError('input', `${path} does not exist`);
    if (!found.isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith('.json'));
    if (names.length === 0) throw new CliError('input', `${path} contains no JSON files`);
    return names.toSorted().map((name) => join(path, name));
  });
}

/** Returns the flows of an export file. Throws CliError when it cannot be read. */
export function readFlows(path: string): readonly FlowJson[] {
  return listedFlows(readJson(path)).map((flow: unknown, index) => {
    if (isObject(flow) && typeof flow['name'] === 'string') return flow as FlowJson;
    throw new CliError(
      'input',
      `${path} contains no flow with a name${index === 0 ? '' : ` at position ${index + 1}`}`,
    );
  });
}

/** Returns the flows of a list, of a collection `{"flows": […]}`, or the only one of a file. */
export function listedFlows(parsed: unknown): readonly unknown[] {
  const listed = isObject(parsed) && Array.isArray(parsed['flows']) ? parsed['flows'] : parsed;
  return Array.isArray(listed) ? listed : [listed];
}

/** Throws CliError when the file cannot be read or is not JSON. */
export function readJson(path: string): unknown {
  try {
    // Editors on Windows write a byte order mark.
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new CliError('input', `${path} cannot be read: ${reasonOf(error)}`, error);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
