import type { QueueState } from '../message-bus';
import type { TargetProblem } from './target-health';
import type { TopologyDeclarer } from './topology-declarer';

/** Merges the states of consumed queues with the problems of publishing, by queue. Leaves out exclusive queues. */
export function mergeQueueStates(
  declarer: Pick<TopologyDeclarer, 'definitionOf' | 'queueFor'>,
  consumed: Iterable<Pick<QueueState, 'queue' | 'problem'> & { readonly isConsuming: boolean }>,
  publishProblems: readonly TargetProblem[],
): readonly QueueState[] {
  const states = new Map<string, QueueState>();
  const isExclusive = (queue: string) => declarer.definitionOf(queue)?.exclusive === true;
  for (const { queue, isConsuming, problem } of consumed)
    if (!isExclusive(queue)) states.set(queue, { queue, isConsuming, problem });
  for (const { exchange, routingKey, problem } of publishProblems) {
    const queue = declarer.queueFor(exchange, routingKey);
    if (queue === undefined || isExclusive(queue)) continue;
    const state = states.get(queue);
    if (state === undefined || state.problem === null)
      states.set(queue, { queue, isConsuming: state?.isConsuming ?? null, problem });
  }
  return [...states.values()];
}
