import type { ServerResponse } from 'node:http';

const JSON_TYPE = 'application/json';

/** Answers with a value as JSON: compact, non-ASCII as it is. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

/** Answers with JSON that is text or bytes already. */
export function sendJsonText(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
