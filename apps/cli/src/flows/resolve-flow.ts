import type { MillraceClient } from '../client/millrace-client';
import type { Schemas } from '../client/calls.generated';
import { CliError } from '../cli-error';
import { listFlows } from './list-flows';

const NAMED_FLOWS = 10;

export interface FoundFlow {
  readonly id: string;
  readonly name: string;
}

/** Finds a flow of the user by id, endpoint name or name. Throws CliError, which says what can be typed instead. */
export async function resolveFlow(api: MillraceClient, reference: string): Promise<FoundFlow> {
  const flows = await listFlows(api);
  const wanted = reference.toLowerCase();
  const found =
    flows.find(({ id }) => id?.toLowerCase() === wanted) ??
    flows.find(({ endpoint_name: endpoint }) => endpoint === reference) ??
    flows.find(({ name }) => name === reference);
  if (found?.id === undefined)
    throw new CliError(
      'refused',
      `${api.url} has no flow with the id, endpoint name or name "${reference}". ${adviceFor(reference, flows)}`,
    );
  return { id: found.id, name: found.name };
}

/** Returns what to type to name a flow: its endpoint name, else its id. */
export function callableName(flow: {
  readonly id?: string | null;
  readonly endpoint_name?: string | null;
}): string {
  return flow.endpoint_name || (flow.id ?? '');
}

function adviceFor(reference: string, flows: readonly Schemas['FlowHeader'][]): string {
  const similar = flows.filter((flow) =>
    [flow.name, flow.endpoint_name ?? ''].some((name) => isSimilar(name, reference)),
  );
  const named = similar.length > 0 ? similar : flows;
  if (named.length === 0) return 'The user has no flows; millrace flows import <file> creates one.';
  const lines = named.slice(0, NAMED_FLOWS).map((flow) => `\n  ${callableName(flow)}   ${flow.name}`);
  const more = named.length > NAMED_FLOWS ? '\nmillrace flows list has the others.' : '';
  return `Type one of:${lines.join('')}${more}`;
}

/** Whether the letters and digits of one text contain those of the other: "My flow" and "my-flow". */
function isSimilar(name: string, reference: string): boolean {
  const [left, right] = [name, reference].map((text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  if (!left || !right) return false;
  return left.includes(right) || right.includes(left);
}
