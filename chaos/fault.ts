import type { ChaosFigures } from './run-chaos.mjs';
import type { Installation } from './installation.mjs';
import type { Load } from './load/load.mjs';
import type { LogWatch } from './log-watch.mjs';
import type { Random } from './random.mjs';
import type { Recovery } from './recovery.mjs';

/** What all faults of a chaos run share. */
export interface Site extends Installation {
  readonly logs: LogWatch;
  readonly load: Load;
  readonly random: Random;
  /** How many webhooks the faults `F11`, `F22` and `F23` send at most. */
  readonly backlog: number;
  /** Whether only this fault is injected, as often as its row in README.md requires. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
  /** The number of faults that were injected so far. */
  injections: number;
}

/** What one injection gets; `note` adds a line to the timeline. */
export interface FaultSite extends Site {
  note(text: string): void;
}

export interface Limit {
  readonly what: string;
  readonly limit: number;
  /** Null for what did not happen in time. */
  readonly value: number | null;
  /** Whether the value also depends on the machine; then it does not decide the verdict. */
  readonly isTiming?: boolean;
}

/** One injection. `missed` is the reason if the fault did not happen or did not heal. */
export interface Injection<Evidence = unknown> {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly evidence: Evidence;
  readonly recovery: Recovery;
  readonly missed?: string;
}

export interface FaultOutcome<Evidence> extends Injection<Evidence> {
  readonly figures: ChaosFigures;
}

/** A fault. `Evidence` is what its injection resolves to. */
export interface Fault<Evidence = unknown> {
  readonly id: string;
  readonly title: string;
  readonly mustHold: string;
  /** True for a fault that does not affect services behind a pooler. */
  readonly isWithoutPooler?: boolean;
  /** True for a fault of executors with Python. */
  readonly needsPython?: boolean;
  /** Settings of the services for when the fault is injected alone. */
  environment?(): Readonly<Record<string, string>>;
  /** Injects the fault, proves that it happened, heals it, and resolves to its evidence. */
  inject(site: FaultSite): Promise<Evidence>;
  limits(outcome: FaultOutcome<Evidence>): readonly Limit[];
}
