import type { Schemas } from '../client/calls.generated';
import type { MillraceClient } from '../client/millrace-client';

/** Resolves to the flows of the user, without their documents. */
export async function listFlows(api: MillraceClient): Promise<readonly Schemas['FlowHeader'][]> {
  const answer = await api.call('GET /api/v1/flows/', { query: { get_all: true, header_flows: true } });
  return (Array.isArray(answer) ? answer : answer.items) as readonly Schemas['FlowHeader'][];
}
