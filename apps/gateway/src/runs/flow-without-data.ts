import type { RunRequest } from '@millrace/flow';
import { RequestError } from '../http/request-error';
import { failureDetail } from './run-failure-error';

/** The refusal of a flow that has no nodes and edges, in each form's own words. */
export function flowWithoutData(flowId: string, form: RunRequest['form']): RequestError {
  const text = `Flow ${flowId} has no data`;
  if (form === 'advanced') return new RequestError('flow_without_data', text);
  return new RequestError('flow_without_data', failureDetail(text, form), { status: 500 });
}
