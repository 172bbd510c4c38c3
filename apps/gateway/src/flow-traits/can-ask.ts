import type { CalledFlow } from '@millrace/flow';
import type { FlowSummary } from '@millrace/runs';

/** A flow that leads to more others is taken for one that can ask. */
const MAXIMUM_FLOWS = 50;

interface AskingTraits {
  readonly asksHuman: boolean;
  readonly calledFlows: readonly CalledFlow[];
}

interface StoredFlows {
  find(name: string): Promise<FlowSummary | null>;
  traitsOf(flow: FlowSummary): Promise<AskingTraits>;
}

/**
 * Returns whether a run of a flow can wait for a person: in the flow, or in one that it runs by the name that is saved. Reads
 * only the flows that it runs.
 */
export async function canAsk(
  { asksHuman, calledFlows }: AskingTraits,
  { find, traitsOf }: StoredFlows,
): Promise<boolean> {
  if (asksHuman) return true;
  const seen = new Set<string>();
  const pending = [...calledFlows];
  for (const names of pending) {
    const called = await firstFound(names, find);
    if (called === null || seen.has(called.id)) continue;
    if (seen.size === MAXIMUM_FLOWS) return true;
    seen.add(called.id);
    const inner = await traitsOf(called);
    if (inner.asksHuman) return true;
    pending.push(...inner.calledFlows);
  }
  return false;
}

async function firstFound(names: CalledFlow, find: StoredFlows['find']): Promise<FlowSummary | null> {
  for (const name of names) {
    const found = await find(name);
    if (found !== null) return found;
  }
  return null;
}
