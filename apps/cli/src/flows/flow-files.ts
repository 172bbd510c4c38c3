import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { archivedExports } from '@millrace/gateway';
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
  return listedFlows(path).map((flow: unknown, index) => {
    if (isObject(flow) && typeof flow['name'] === 'string' && 'data' in flow) return flow as FlowJson;
    throw new CliError(
      'input',
      `${path} contains no flow with name and data${index === 0 ? '' : ` at position ${index + 1}`}`,
    );
  });
}

/**
 * Returns the only flow of a file, or those of a list, of a collection `{"flows": […]}`, or of a ZIP archive of such files.
 * Throws CliError when the file cannot be read.
 */
export function listedFlows(path: string): readonly unknown[] {
  return readFileAs(path, (content) => {
    const files = archivedExports(content) ?? [{ content }];
    if (files.length === 0) throw new Error('the archive contains no JSON file');
    const flows = files.flatMap((file) => flowsOf(parseJson(file.content)));
    if (flows.length === 0) throw new Error('it contains no flow');
    return flows;
  });
}

function flowsOf(parsed: unknown): readonly unknown[] {
  const listed = isObject(parsed) && Array.isArray(parsed['flows']) ? parsed['flows'] : parsed;
  return Array.isArray(listed) ? listed : [listed];
}

/** Throws CliError when the file cannot be read or is not JSON. */
export function readJson(path: string): unknown {
  return readFileAs(path, parseJson);
}

function parseJson(content: Buffer): unknown {
  // Editors on Windows write a byte order mark.
  return JSON.parse(content.toString('utf8').replace(/^\ufeff/, ''));
}

function readFileAs<Value>(path: string, read: (content: Buffer) => Value): Value {
  try {
    return read(readFileSync(path));
  } catch (error) {
    throw new CliError('input', `${path} cannot be read: ${reasonOf(error)}`, error);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
