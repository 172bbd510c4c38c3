import type { ServerResponse } from 'node:http';
import { sendJson } from '../../http/answers/send-json';
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
  sendArchive(response, flows, 'attachment; filename="flows.zip"');
}

/** Answers with a ZIP archive that has a JSON file for each flow. */
export function sendArchive(
  response: ServerResponse,
  flows: readonly ExportedFlow[],
  disposition: string,
): void {
  const archive = writeZip(
    flows.map((flow, index) => ({
      name: memberName(flow, index),
      content: Buffer.from(JSON.stringify(flow, null, 2)),
    })),
  );
  response.writeHead(200, {
    'content-type': 'application/x-zip-compressed',
    'content-length': archive.length,
    'content-disposition': disposition,
  });
  response.end(archive);
}

/** Returns a unique file name without a path. Replacing characters can make two names equal, so these get a number. */
function memberName({ name }: ExportedFlow, index: number): string {
  const presentable = String(name)
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .slice(0, 100);
  return presentable === name ? `${presentable}.json` : `${presentable} ${index + 1}.json`;
}
