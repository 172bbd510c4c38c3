import type { RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { failureDetail } from './run-failure-error';

/** Returns the error for a flow without nodes and edges, with the status and text of each form. */
export function flowWithoutData(flowId: string, form: RunRequest['form']): HttpError {
  const text = `Flow ${flowId} has no data`;
  if (form === 'advanced') return new HttpError('flow_without_data', text);
  return new HttpError('flow_without_data', failureDetail(text, form), { status: 500 });
}
