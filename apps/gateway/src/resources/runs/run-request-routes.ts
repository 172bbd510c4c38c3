import { runRequestViewSchema } from './run-record-schemas';
import type { RunStore } from '@millrace/runs';
import { HttpError } from '@millrace/http';
import { forReading } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { runIdOf, unknownRun } from './run-view';

export interface RunRequestRoutesOptions {
  readonly runs: Pick<RunStore, 'find'>;
  readonly readYourWrites: ReadYourWrites;
}

const operation = {
  summary: 'Read what your run was asked for: inputs, tweaks, files, the body of a webhook',
  answers: { 200: json('The request; of variables of the request only the names', runRequestViewSchema) },
  errors: ['not_found', 'object_store_unavailable'],
} as const satisfies Operation;

/** The route that reads the request of a run. Only the owner can read it, since tweaks can contain secrets. */
export function runRequestRoutes({ runs, readYourWrites }: RunRequestRoutesOptions): readonly Route[] {
  const read = async ({ request, response, principal }: KeyedCall) => {
    const id = runIdOf(request);
    await readYourWrites.settled(principal.userId);
    const record = await runs.find(principal.userId, id);
    if (!record) throw unknownRun(id);
    if (!record.request) throw new HttpError('not_found', 'The request of the run is not kept');
    const { form, inputs, outputs, tweaks, stream, sessionId, globalVariables, files, webhookPayload } =
      record.request;
    sendJson(response, 200, {
      run_id: id,
      form,
      inputs: inputs.map(({ components, inputValue, type }) => ({
        components,
        input_value: inputValue,
        type,
      })),
      outputs,
      tweaks,
      stream,
      session_id: sessionId,
      global_variables: Object.keys(globalVariables),
      files: files ?? [],
      webhook_payload: webhookPayload ?? null,
    });
  };
  const path = '/api/v1/runs/:run_id/request';
  return [{ method: 'GET', path, access: forReading, operation, handle: read }];
}
