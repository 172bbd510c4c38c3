import type { CalledFlow, Plan } from './plan';

/** A flow that leads to more others is taken for one that can ask. */
const MAXIMUM_FLOWS = 50;

interface AskingTraits {
  readonly asksHuman: boolean;
  readonly calledFlows: readonly CalledFlow[];
}

interface StoredFlows<Flow> {
  find(name: string): Promise<Flow | null>;
  traitsOf(flow: Flow): Promise<AskingTraits>;
}

/** Returns what `canAsk` needs of a flow. */
export function askingTraits({ asking, calledFlows }: Pick<Plan, 'asking' | 'calledFlows'>): AskingTraits {
  return { asksHuman: asking !== null, calledFlows };
}

/**
 * Returns whether a run of a flow can wait for a person: in the flow, or in one that it runs by the name that is saved. Reads
 * only the flows that it runs.
 */
export async function canAsk<Flow extends { readonly id: string }>(
  { asksHuman, calledFlows }: AskingTraits,
  { find, traitsOf }: StoredFlows<Flow>,
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

async function firstFound<Flow>(names: CalledFlow, find: StoredFlows<Flow>['find']): Promise<Flow | null> {
  for (const name of names) {
    const found = await find(name);
    if (found !== null) return found;
  }
  return null;
}
