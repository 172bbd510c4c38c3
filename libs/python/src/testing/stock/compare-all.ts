import type { PythonPool } from '../../index';
import { compareCase } from './compare-case';
import type { Comparison } from './compare-case';
import type { ComponentCase } from './component-case';
import { savedNodes } from './saved-nodes';

export interface ComparedCase {
  readonly tried: ComponentCase;
  readonly comparison: Comparison;
}

/** Compares all cases, one after the other. `python` is the interpreter of the pool. */
export async function compareAll(
  pool: PythonPool,
  python: string,
  cases: readonly ComponentCase[],
): Promise<readonly ComparedCase[]> {
  const nodes = await savedNodes(python, cases);
  const compared: ComparedCase[] = [];
  for (const [index, tried] of cases.entries()) {
    const node = nodes[index] ?? 'The program gave no node.';
    compared.push({ tried, comparison: await compareCase(pool, tried, node) });
  }
  return compared;
}
