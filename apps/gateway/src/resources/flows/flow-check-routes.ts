import { acceptedCodeBodySchema } from './accepted-code-body';
import { HttpError } from '@millrace/http';
import { authorOf } from '../../authentication/author-of';
import { editedCodeParameter } from './edited-code-parameter';
import type { FlowService } from '../../flow-changes/flow-service';
import { inspectionView } from '../../flow-changes/flow-view';
import { readUpload } from './read-upload';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { jsonRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { flowCheckOperations } from './flow-check-operations';

const checkAccepted = createValidator(acceptedCodeBodySchema);

/** Routes that check how flows would run, and that accept stock components instead of edited code. */
export function flowCheckRoutes({ flowService }: { readonly flowService: FlowService }): readonly Route[] {
  const check = async (call: KeyedCall) => {
    const code = editedCodeParameter(call.query);
    const checked: unknown[] = [];
    for (const flow of await readUpload(call)) {
      const inspection = await flowService.check(call.principal.userId, flow, code);
      checked.push({ name: flow.name, ...inspectionView(inspection) });
    }
    sendJson(call.response, 200, checked);
  };
  const accept = async (call: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => parseUuidStrictly(pathParameter(call.request, 'flow_id'), ['path', 'flow_id']),
      () => checkAccepted(requireBody(call.body)),
    );
    const { vertices } = call.body as { readonly vertices: readonly string[] | 'all' };
    const accepted = await flowService.acceptCode(authorOf(call), id, vertices);
    if (!accepted) throw new HttpError('flow_unknown', 'Flow not found');
    sendJson(call.response, 200, inspectionView(accepted.inspection));
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/flows/check',
      access: forManagement,
      body: 'form',
      operation: flowCheckOperations.check,
      handle: check,
    },
    jsonRoute('POST /api/v1/flows/:flow_id/accepted-code', forManagement, flowCheckOperations.accept, accept),
  ];
}
