import type { ApiClient } from '../client/api-client';
import { CliError } from '../cli-error';
import type { FlowJson } from './flow-files';

export interface FoundFlow {
  readonly id: string;
  readonly name: string;
}

/** Finds a flow of the user by id, endpoint name or name. Throws CliError. */
export async function resolveFlow(api: ApiClient, reference: string): Promise<FoundFlow> {
  const flows = await api.json<readonly FlowJson[]>('/api/v1/flows/', {
    query: { get_all: true, header_flows: true },
  });
  const wanted = reference.toLowerCase();
  const found =
    flows.find(({ id }) => id?.toLowerCase() === wanted) ??
    flows.find(({ endpoint_name: endpoint }) => endpoint === reference) ??
    flows.find(({ name }) => name === reference);
  if (found?.id === undefined)
    throw new CliError('refused', `${api.url} has no flow "${reference}" of this user`);
  return { id: found.id, name: found.name };
}
