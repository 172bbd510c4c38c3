import { diffFlows } from '@millrace/gateway';
import type { CommandCall } from '../commands/add-command';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { flowFiles, readFlows } from './flow-files';
import type { FlowJson } from './flow-files';

interface ImportedFlow {
  readonly file: string;
  readonly id: string | null;
  readonly name: string;
  readonly action: 'created' | 'changed' | 'unchanged' | 'failed';
  /** How the flow runs on the server; null for a dry run. */
  readonly verdict: string | null;
  readonly error: string | null;
}

interface StoredFlow extends FlowJson {
  readonly report?: { readonly verdict: string };
}

/** Creates or changes the flows of files. One that the server refuses does not stop the others. */
export async function importFlows(call: CommandCall): Promise<number> {
  const { output, arguments: paths, options } = call;
  const isDryRun = options['dryRun'] === true;
  const imported: ImportedFlow[] = [];
  const progress = output.progress(call.now);
  for (const file of flowFiles(paths))
    for (const flow of readFlows(file)) {
      progress.show(`${imported.length + 1} ${flow.name}`);
      imported.push({ file, ...(await importFlow(call, flow, isDryRun)) });
    }
  progress.end();
  output.result({ dry_run: isDryRun, flows: imported }, () => {
    output.table(
      imported.map(({ action, id, name, verdict, error }) => [
        action,
        id ?? '',
        name,
        error ?? verdict ?? '',
      ]),
      [isDryRun ? 'would be' : 'action', 'id', 'name', 'runs'],
    );
  });
  return imported.some(({ action }) => action === 'failed') ? exitCodes.negative : exitCodes.success;
}

async function importFlow(
  call: CommandCall,
  flow: FlowJson,
  isDryRun: boolean,
): Promise<Omit<ImportedFlow, 'file'>> {
  const api = call.api();
  const { name } = flow;
  const row = { id: flow.id ?? null, name, verdict: null, error: null };
  try {
    const stored = flow.id === undefined ? null : await storedFlow(call, flow.id);
    if (stored !== null && diffFlows(stored, flow).length === 0) return { ...row, action: 'unchanged' };
    const action = stored === null ? 'created' : 'changed';
    if (isDryRun) return { ...row, action };
    const body = Object.fromEntries(Object.entries(flow).filter(([, value]) => value !== null));
    const written =
      stored === null
        ? await api.json<StoredFlow>('/api/v1/flows/', { method: 'POST', body })
        : await api.json<StoredFlow>(`/api/v1/flows/${flow.id}`, { method: 'PATCH', body });
    return {
      ...row,
      id: written.id ?? null,
      name: written.name,
      action,
      verdict: written.report?.verdict ?? null,
    };
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.refused) throw error;
    return { ...row, action: 'failed', error: error.message };
  }
}

async function storedFlow({ api }: CommandCall, id: string): Promise<FlowJson | null> {
  const client = api();
  const response = await client.send(`/api/v1/flows/${encodeURIComponent(id)}`);
  if (response.status === 404 || response.status === 422) return null;
  if (response.status === 200) return (await response.json()) as FlowJson;
  return client.json<FlowJson>(`/api/v1/flows/${encodeURIComponent(id)}`);
}
