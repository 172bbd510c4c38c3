import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/send-json';
import { writeZip } from '../zip/write-zip';

/** A flow as its export shows it. */
export type ExportedFlow = Readonly<Record<string, unknown>>;

/** Answers with the flows as a file: one as JSON, several as a ZIP archive with a JSON file for each. */
export function sendExport(response: ServerResponse, flows: readonly ExportedFlow[]): void {
  const [only] = flows;
  if (flows.length === 1) {
    response.setHeader('content-disposition', 'attachment; filename="flows.json"');
    return sendJson(response, 200, only);
  }
  const archive = writeZip(
    flows.map((flow, index) => ({
      name: memberName(flow, index),
      content: Buffer.from(JSON.stringify(flow, null, 2)),
    })),
  );
  response.writeHead(200, {
    'content-type': 'application/x-zip-compressed',
    'content-length': archive.length,
    'content-disposition': 'attachment; filename="flows.zip"',
  });
  response.end(archive);
}

/** No path, and no two alike: a user's flows have different names, but these may differ in what is replaced. */
function memberName({ name }: ExportedFlow, index: number): string {
  const presentable = String(name)
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .slice(0, 100);
  return presentable === name ? `${presentable}.json` : `${presentable} ${index + 1}.json`;
}
