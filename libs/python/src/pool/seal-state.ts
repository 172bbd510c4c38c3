import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { memberOf, textOf } from '../frames/members';
import type { ProcessGreeting } from '../process/python-process';
import type { SealSettings } from './pool-settings';

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

/** Whether a level is the demanded one or a higher one. */
export function isEnough(demanded: SealSettings['level'], { level }: SealState): boolean {
  if (demanded === 'off') return true;
  return level === 'sealed' || (demanded === 'partial' && level === 'partly');
}

/** Returns the sentences of the error for runs: which layers are missing, and how an operator allows it. */
function refusalText(demanded: SealSettings['level'], state: SealState): string {
  const { level, missing } = state;
  const allowed =
    level === 'partly'
      ? 'set MILLRACE_PYTHON_SEAL=partial and run the pool in a container of its own with a network policy'
      : 'set MILLRACE_PYTHON_SEAL=off, for development';
  return (
    `Python components do not run here: MILLRACE_PYTHON_SEAL is "${demanded}", and the seal of Python processes lacks ` +
    `${missing.length === 0 ? 'every layer' : missing.join(', ')}. To allow it, ${allowed}; see docs/python-seal.md.`
  );
}

/** A process is not sealed as demanded, and ran nothing. */
export class SealRefusedError extends Error {
  readonly greeting: ProcessGreeting;

  constructor(demanded: SealSettings['level'], greeting: ProcessGreeting) {
    super(refusalText(demanded, greeting.seal));
    this.name = 'SealRefusedError';
    this.greeting = greeting;
  }
}

function layerOf(value: PythonValue): true | string | number {
  if (value === true || typeof value === 'number') return value;
  return typeof value === 'string' ? value : 'unknown';
}
