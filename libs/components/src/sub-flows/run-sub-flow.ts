import { MillraceError, RunError } from '@millrace/flow';
import type { ComponentContext, RunMoment, SubFlow, SubFlowOutput, Tweaks } from '@millrace/flow';

/** Failures of a flow itself; all others (the deadline, a bound, an outage) are those of the whole run. */
const ownFailures: ReadonlySet<string> = new Set(['component_failed', 'deadlocked']);

export interface SubFlowCall {
  readonly tweaks: Tweaks;
  /** The run's own unless given. */
  readonly sessionId?: string;
  /** Tells it from other calls of the vertex, where a model calls in an order of its own. */
  readonly call?: string;
  /** When the vertex is called as a tool; its own moment unless given. */
  readonly at?: RunMoment | undefined;
}

/**
 * Runs another flow inside this run: what its output vertices gave. A flow that fails is told by its name alone, as in
 * Langflow; one that cannot run says why.
 */
export async function runSubFlow(
  { resources, run, vertex, signal, moment }: ComponentContext,
  flow: SubFlow,
  { tweaks, sessionId, call, at }: SubFlowCall,
): Promise<readonly SubFlowOutput[]> {
  const request = {
    tweaks,
    sessionId: sessionId || run.sessionId,
    outputs: { by: 'type', type: 'any' },
    call: call === undefined ? vertex.id : `${vertex.id} ${call}`,
    moment: at ?? moment,
  } as const;
  try {
    return await resources.flows.run(flow, request, signal);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const { code, message, permanent } = error;
    if (code === 'flow_refused') throw new MillraceError('component_failed', message, { cause: error });
    if (!ownFailures.has(code)) throw error;
    const options = { permanent, cause: error };
    throw new MillraceError('component_failed', `Error running flow: ${flow.name}`, options);
  }
}
