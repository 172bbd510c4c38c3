import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/answers/send-json';

/** Answers 202 with the run's id and location, and with the preference that was applied. */
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
