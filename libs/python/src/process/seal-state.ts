import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { memberOf, textOf } from '../frames/members';

export type SealLevel = 'sealed' | 'partly' | 'open';

/** How far a process is sealed. */
export interface SealState {
  readonly level: SealLevel;
  /** By layer: true, a version, or the reason why it does not hold. Empty where no seal is demanded. */
  readonly layers: Readonly<Record<string, true | string | number>>;
  /** The layers that do not hold. */
  readonly missing: readonly string[];
}

/** Reads what a process reported before it ran an author's code. Anything unknown counts as not sealed. */
export function sealStateOf(report: PythonObject): SealState {
  const given = memberOf(report, 'layers');
  const entries = given !== undefined && isDict(given) ? Object.entries(given) : [];
  const layers = Object.fromEntries(entries.map(([name, value]) => [name, layerOf(value)]));
  const level = textOf(report, 'level');
  return {
    level: level === 'sealed' || level === 'partly' ? level : 'open',
    layers,
    missing: Object.keys(layers).filter((name) => typeof layers[name] === 'string'),
  };
}

function layerOf(value: PythonValue): true | string | number {
  if (value === true || typeof value === 'number') return value;
  return typeof value === 'string' ? value : 'unknown';
}
