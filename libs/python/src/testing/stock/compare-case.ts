import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import type { PythonPool } from '../../index';
import { firstDifference } from './comparable';
import type { FirstDifference } from './comparable';
import type { ComponentCase, NamedDifference } from './component-case';
import { runCase } from './run-case';
import type { CaseResult } from './run-case';
import type { SavedNode } from './saved-nodes';

/** The comparison of one case. A named difference is the one that the case expects. */
export type Comparison =
  | { readonly state: 'equal' }
  | { readonly state: 'different' | 'named'; readonly difference: FirstDifference }
  | { readonly state: 'not runnable'; readonly reason: string };

/** Runs a case on both sides and compares values, stops, logs, stored messages and failures. */
export async function compareCase(
  pool: PythonPool,
  tried: ComponentCase,
  node: SavedNode | string,
): Promise<Comparison> {
  if (typeof node === 'string') return { state: 'not runnable', reason: node };
  const native = await runCase(pool, tried, node, 'native');
  const python = await runCase(pool, tried, node, 'python');
  const missing = missingPackage(python);
  if (missing !== null) return { state: 'not runnable', reason: missing };
  const difference = firstDifference(native, python);
  const named = tried.settings.difference;
  if (difference === null) {
    return named === undefined
      ? { state: 'equal' }
      : {
          state: 'different',
          difference: { at: 'nowhere: the case names a difference', native: null, python: null },
        };
  }
  return { state: named !== undefined && isSame(named, difference) ? 'named' : 'different', difference };
}

function isSame(named: NamedDifference, { at, native, python }: FirstDifference): boolean {
  const text = (difference: PythonObject): string => jsonDumpsCompactAscii(difference);
  return text({ at, native, python }) === text({ at: named.at, native: named.native, python: named.python });
}

/** Packages that the environment lacks; components ask for them when they run. */
function missingPackage({ failed }: CaseResult): string | null {
  const found = /(jq is required|Missing optional dependency '\w+'|No module named '[\w.]+')/.exec(
    String(failed),
  );
  return found?.[0] ?? null;
}
