import type { ServerResponse } from 'node:http';
import { machineTime } from '@millrace/service';
import { isRecord } from '../../http/bodies/parse-json';
import { attachment } from '../files/send-file';
import { sendJson } from '../../http/answers/send-json';
import { archiveStamp } from '../../zip/archive-stamp';
import { writeZip } from '../../zip/write-zip';

/** A flow in its export format. */
export type ExportedFlow = Readonly<Record<string, unknown>>;

/** Answers with the flows as a file: one as JSON, several as a ZIP archive with a JSON file for each. */
export function sendExport(response: ServerResponse, flows: readonly ExportedFlow[]): void {
  const [only] = flows;
  if (flows.length === 1) {
    response.setHeader('content-disposition', 'attachment; filename="flows.json"');
    return sendJson(response, 200, only);
  }
  sendArchive(response, flows, attachment(`${archiveStamp(new Date(machineTime()))}_langflow_flows.zip`));
}

/** Answers with a ZIP archive that has a JSON file for each flow. */
export function sendArchive(
  response: ServerResponse,
  flows: readonly ExportedFlow[],
  disposition: string,
): void {
  const taken = new Set<string>();
  const archive = writeZip(
    flows.map((flow, index) => {
      const name = memberName(flow);
      const isTaken = taken.has(name.toLowerCase());
      taken.add(name.toLowerCase());
      const content = Buffer.from(JSON.stringify(sorted(flow), null, 2));
      return { name: isTaken ? `${name} ${index + 1}.json` : `${name}.json`, content };
    }),
  );
  response.writeHead(200, {
    'content-type': 'application/x-zip-compressed',
    'content-length': archive.length,
    'content-disposition': disposition,
  });
  response.end(archive);
}

/** Returns a value whose objects have their members in the order of their names: archives of equal flows are equal. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** Returns a file name without a path and its extension, by Langflow's rule where that is enough for any system. */
function memberName({ name }: ExportedFlow): string {
  const presentable = String(name)
    .replaceAll('..', '_')
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .slice(0, 100)
    .trim();
  return presentable === '' ? 'flow' : presentable;
}
