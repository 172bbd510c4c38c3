import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandCall } from '../terminal/add-command';
import { CliError } from '../cli-error';
import type { FlowJson } from './flow-files';
import { listFlows } from './list-flows';
import { resolveFlow } from './resolve-flow';

/** Writes flows as export files. Each is read and written before the next one. */
export async function exportFlows({
  api,
  output,
  arguments: references,
  text,
  now,
}: CommandCall): Promise<void> {
  const client = api();
  const ids = references.length > 0 ? await idsOf(client, references) : await allIds(client);
  const folder = text('output');
  if (folder === undefined) {
    if (ids.length > 1 && !output.json)
      throw new CliError('usage', `${ids.length} flows: name one, or a folder with --output`);
    const flows: FlowJson[] = [];
    for (const id of ids) flows.push(await exportedFlow(client, id));
    output.line(JSON.stringify(output.json ? flows : flows[0], null, 2));
    return;
  }
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  const progress = output.progress(now);
  for (const id of ids) {
    const flow = await exportedFlow(client, id);
    const file = join(folder, fileNameOf(flow, id));
    writeFileSync(file, `${JSON.stringify(flow, null, 2)}\n`);
    files.push(file);
    progress.show(`${files.length} of ${ids.length}`);
  }
  progress.end();
  output.result({ files }, () => files.forEach((file) => output.line(file)));
}

type Client = ReturnType<CommandCall['api']>;

async function idsOf(client: Client, references: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const reference of references) ids.push((await resolveFlow(client, reference)).id);
  return ids;
}

async function allIds(client: Client): Promise<string[]> {
  const flows = await listFlows(client);
  return flows.flatMap(({ id }) => id ?? []);
}

/** Returns the flow as the server exports it: without the values of secret fields. */
async function exportedFlow(client: Client, id: string): Promise<FlowJson> {
  return client.json<FlowJson>('/api/v1/flows/download/', { method: 'POST', body: [id] });
}

/** Starts with the endpoint name or the name; the id keeps names apart. */
function fileNameOf({ name, endpoint_name: endpoint }: FlowJson, id: string): string {
  const words = (endpoint ?? name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  return `${words.replaceAll(/^-+|-+$/g, '') || 'flow'}-${id.slice(0, 8)}.json`;
}
