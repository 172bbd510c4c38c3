import { MillraceError, RunError, toolCallSuffix } from '@millrace/flow';
import type { ComponentContext, RunMoment, SubFlow, SubFlowOutput, Tweaks } from '@millrace/flow';

/** Failures of the flow itself; all others (refusal, deadline, limit, outage) are failures of the whole run. */
const flowFailures: ReadonlySet<string> = new Set(['component_failed', 'deadlocked']);

export interface SubFlowCall {
  readonly tweaks: Tweaks;
  /** The run's own unless given. */
  readonly sessionId?: string;
  /** Distinguishes the calls of a vertex when a model calls it in an unpredictable order. */
  readonly call?: string;
  /** The time of a tool call of the vertex; the vertex' own time unless given. */
  readonly at?: RunMoment | undefined;
}

/**
 * Runs another flow inside this run and returns the values of its output vertices. The error for a flow that fails
 * contains only its name, as in Langflow. One that is refused refuses the whole run, with its reasons.
 */
export async function runSubFlow(
  { resources, run, place, signal, moment }: ComponentContext,
  flow: SubFlow,
  { tweaks, sessionId, call, at }: SubFlowCall,
): Promise<readonly SubFlowOutput[]> {
  const request = {
    tweaks,
    sessionId: sessionId || run.sessionId,
    outputs: { by: 'type', type: 'any' },
    // A further attempt does not repeat each call, so that a number alone would name another one.
    call: `${place}${call === undefined ? '' : ` ${call}`}${toolCallSuffix()}`,
    moment: at ?? moment,
  } as const;
  try {
    return await resources.flows.run(flow, request, signal);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const { code, permanent } = error;
    if (code === 'flow_refused') throw refusedIn(flow, error);
    if (!flowFailures.has(code)) throw error;
    const options = { permanent, cause: error };
    throw new MillraceError('component_failed', `Error running flow: ${flow.name}`, options);
  }
}

function refusedIn({ name }: SubFlow, error: RunError): RunError {
  const prefix = `In the flow "${name}": `;
  const problems = error.problems.map((problem) => ({ ...problem, message: `${prefix}${problem.message}` }));
  return new RunError('flow_refused', `${prefix}${error.message}`, { problems, cause: error });
}
