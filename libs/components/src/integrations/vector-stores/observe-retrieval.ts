import { observeStep } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';

/** Performs a search of a store of texts, and notifies the observer of the run. */
export function observeRetrieval<Found>(
  { query, limit }: { readonly query: string; readonly limit: number },
  context: ComponentContext,
  search: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  return observeStep(
    context.observation?.retrieval({ store: context.vertex.type, query, limit }),
    search,
    ({ length }) => ({ count: length }),
  );
}
