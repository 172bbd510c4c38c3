import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { HttpError } from '@millrace/http';
import { machineTime } from '@millrace/service';
import { isRecord } from '../../http/bodies/parse-json';
import { attachment } from '../files/send-file';
import { sendJson } from '../../http/answers/send-json';
import { archiveStamp } from '../../zip/archive-stamp';
import { writeZip } from '../../zip/write-zip';
import type { ZipMember } from '../../zip/write-zip';

/** A flow in its export format. */
export type ExportedFlow = Readonly<Record<string, unknown>>;

/** An archive is created in memory. */
const MAXIMUM_BYTES = 67_108_864;
const deflate = promisify(deflateRaw);

/** The flows of an export. */
export interface FlowExport {
  readonly first: ExportedFlow;
  readonly members: readonly ZipMember[];
}

/**
 * Reads flows one after the other into a JSON file each; those that are not found are left out. Null when none is found. Throws
 * invalid_value when the files are too large together.
 */
export async function readExport(
  ids: readonly string[],
  find: (id: string) => Promise<ExportedFlow | null>,
): Promise<FlowExport | null> {
  const taken = new Set<string>();
  const members: ZipMember[] = [];
  let first: ExportedFlow | null = null;
  let bytes = 0;
  for (const id of new Set(ids)) {
    const flow = await find(id);
    if (flow === null) continue;
    first ??= flow;
    const content = Buffer.from(JSON.stringify(sorted(flow), null, 2));
    bytes += content.length;
    if (bytes > MAXIMUM_BYTES)
      throw new HttpError('invalid_value', `An export can contain at most ${MAXIMUM_BYTES} bytes of flows.`);
    const name = memberName(flow);
    const isTaken = taken.has(name.toLowerCase());
    taken.add(name.toLowerCase());
    members.push({
      name: isTaken ? `${name} ${members.length + 1}.json` : `${name}.json`,
      content,
      compressed: await deflate(content),
    });
  }
  return first && { first, members };
}

/** Answers with the flows as a file: one as JSON, several as a ZIP archive with a JSON file for each. */
export function sendExport(response: ServerResponse, { first, members }: FlowExport): void {
  if (members.length === 1) {
    response.setHeader('content-disposition', 'attachment; filename="flows.json"');
    return sendJson(response, 200, first);
  }
  sendArchive(response, members, attachment(`${archiveStamp(new Date(machineTime()))}_langflow_flows.zip`));
}

/** Answers with a ZIP archive. */
export function sendArchive(
  response: ServerResponse,
  members: readonly ZipMember[],
  disposition: string,
): void {
  const archive = writeZip(members);
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
