import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDict } from '@millrace/flow';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { listOf, memberOf, objectOf, textOf } from '../../frames/members';
import type { ComponentCase } from './component-case';
import { stockClasses } from './stock-classes';

/** A node as Langflow's editor saves it, for a component of lfx. */
export interface SavedNode {
  readonly displayName: string;
  readonly template: PythonObject;
  readonly outputs: readonly PythonObject[];
}

const program = join(__dirname, 'stock-nodes.py');

/**
 * Returns the node of each case, or the reason why its class cannot be imported. `python` is an interpreter with lfx.
 * Throws when the program fails.
 */
export async function savedNodes(
  python: string,
  cases: readonly ComponentCase[],
): Promise<readonly (SavedNode | string)[]> {
  const wanted = cases.map(({ type, fields, wires }) => ({
    module: stockClasses[type] ?? '',
    fields,
    wired: Object.keys(wires),
  }));
  const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(jsonDumpsCompactAscii(wanted));
  const [answer, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'close') : null,
  ]);
  if (child.exitCode !== 0) throw new Error(`The nodes of lfx cannot be described: ${errors.slice(-2000)}`);
  const nodes = parsePythonJson(answer) as readonly PythonValue[];
  return nodes.map((node) => (isDict(node) ? savedNode(node) : ''));
}

function savedNode(node: PythonObject): SavedNode | string {
  if (memberOf(node, 'reason') !== undefined) return textOf(node, 'reason');
  return {
    displayName: textOf(node, 'display_name'),
    template: objectOf(node, 'template'),
    outputs: listOf(node, 'outputs').filter((output) => isDict(output)),
  };
}
