import { diffFlows, findFlow } from '@millrace/gateway';
import type { CommandCall } from '../terminal/add-command';
import type { MillraceClient } from '../client/millrace-client';
import { MillraceError } from '../client/millrace-error';
import { exitCodes } from '../exit-codes';
import { flowFiles, readFlows } from './flow-files';
import type { FlowJson } from './flow-files';
import { listFlows } from './list-flows';
import { callableName } from './resolve-flow';

export interface ImportedFlow {
  readonly file: string;
  readonly id: string | null;
  readonly name: string;
  readonly endpoint_name: string | null;
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
  const api = call.api();
  const stored = await listFlows(api);
  const progress = output.progress(call.now);
  for (const file of flowFiles(paths))
    for (const flow of readFlows(file)) {
      progress.show(`${imported.length + 1} ${flow.name}`);
      imported.push({ file, ...(await importFlow(api, flow, { isDryRun, stored })) });
    }
  progress.end();
  output.result({ dry_run: isDryRun, flows: imported }, () => {
    output.table(
      imported.map((flow) => [flow.action, callableName(flow), flow.name, flow.error ?? flow.verdict ?? '']),
      [isDryRun ? 'would be' : 'action', 'endpoint name or id', 'name', 'runs'],
    );
    const usable = imported.find(({ id, action }) => id !== null && action !== 'failed');
    if (usable !== undefined && !isDryRun)
      output.line(`Run it: millrace run ${callableName(usable)} "Hello"`);
  });
  return imported.some(({ action }) => action === 'failed') ? exitCodes.negative : exitCodes.success;
}

/** Creates or changes the flow that `flow` means; resolves to what was done, also when the server refuses the flow. */
export async function importFlow(
  api: MillraceClient,
  flow: FlowJson,
  { isDryRun, stored: flows }: { readonly isDryRun: boolean; readonly stored: readonly FlowJson[] },
): Promise<Omit<ImportedFlow, 'file'>> {
  const { name } = flow;
  const found = meantFlow(flow, flows);
  const { id = flow.id ?? null, endpoint_name: endpoint = null } = found ?? {};
  const row = { id, name, endpoint_name: flow.endpoint_name ?? endpoint, verdict: null, error: null };
  try {
    const path = `/api/v1/flows/${encodeURIComponent(id ?? '')}`;
    const stored = found === undefined ? null : await api.json<FlowJson>(path);
    if (stored !== null && diffFlows(stored, flow).length === 0) return { ...row, action: 'unchanged' };
    const action = stored === null ? 'created' : 'changed';
    if (isDryRun) return { ...row, action };
    const body = Object.fromEntries(Object.entries(flow).filter(([, value]) => value !== null));
    const written =
      stored === null
        ? await api.json<StoredFlow>('/api/v1/flows/', { method: 'POST', body })
        : await api.json<StoredFlow>(path, { method: 'PUT', body: { ...body, id } });
    return {
      ...row,
      id: written.id ?? null,
      name: written.name,
      endpoint_name: written.endpoint_name ?? null,
      action,
      verdict: written.report?.verdict ?? null,
    };
  } catch (error) {
    if (!(error instanceof MillraceError) || error.reason !== 'refused') throw error;
    return { ...row, action: 'failed', error: error.message };
  }
}

/** Returns the flow that a file means: that with its id, else its endpoint name; without both that with its name. */
export function meantFlow(flow: FlowJson, flows: readonly FlowJson[]): FlowJson | undefined {
  const hasReference = Boolean(flow.id) || Boolean(flow.endpoint_name);
  return hasReference ? findFlow(flow, flows) : flows.find(({ name }) => name === flow.name);
}
