import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/send-json';

/** Tells a caller that its run goes on without it, where to read of it, and which preference was followed. */
export function sendAcceptedRun(response: ServerResponse, runId: string, applied: string): void {
  response.setHeader('x-run-id', runId);
  response.setHeader('location', `/api/v1/runs/${runId}`);
  response.setHeader('preference-applied', applied);
  sendJson(response, 202, {
    message: 'Task started in the background',
    status: 'in progress',
    run_id: runId,
  });
}
