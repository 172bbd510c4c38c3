import type { ProcessGreeting } from '../process/python-process';
import type { SealState } from '../process/seal-state';
import type { SealSettings } from './pool-settings';

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
    `${missing.length === 0 ? 'every layer' : missing.join(', ')}. To allow it, ${allowed}; see docs/operate/python-seal.md.`
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
