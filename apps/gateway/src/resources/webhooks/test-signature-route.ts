import { HttpError } from '@millrace/http';
import { text, namedObject } from '@millrace/messages';
import type { FlowStore, VariableStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { sendJson } from '../../http/answers/send-json';
import { forManagement } from '../../http/routing/access';
import { json, jsonBody } from '../../http/routing/operation';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import type { Operation } from '../../http/routing/operation';
import type { RequestSchema } from '../../http/validation/request-schema';
import { requireBody } from '../../http/validation/require-body';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import { signDelivery } from './sign-delivery';

/** Body of `POST /api/v1/flows/{flow_id}/test-signature`. */
const bodySchema: RequestSchema = {
  title: 'TestSignatureBody',
  type: 'object',
  'x-model': true,
  required: ['body'],
  additionalProperties: false,
  properties: { body: { type: 'string', maxLength: 65_536 } },
};
const check = createValidator(bodySchema);

const headers = { type: 'object', additionalProperties: text } as const;
const operation = {
  summary: 'Sign the body of a test delivery as the senders of the webhook do, with its first secret',
  body: jsonBody(bodySchema),
  answers: {
    200: json('The headers of the delivery', namedObject('TestSignature', { scheme: text, headers })),
  },
  errors: ['flow_unknown', 'invalid_value'],
} as const satisfies Operation;

export interface TestSignatureRoutesOptions {
  readonly flows: Pick<FlowStore, 'find'>;
  readonly variables: Pick<VariableStore, 'value'>;
}

/** The route that signs a test delivery, which the caller then sends to the webhook. */
export function testSignatureRoutes({ flows, variables }: TestSignatureRoutesOptions): readonly Route[] {
  const sign = async ({ request, response, body, principal: { userId } }: KeyedCall) => {
    const flowId = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
    check(requireBody(body));
    const flow = await flows.find(userId, flowId);
    if (!flow) throw new HttpError('flow_unknown', 'Flow not found');
    const rule = flow.settings.webhook?.signature;
    if (rule === undefined) throw new HttpError('invalid_value', 'The webhook of the flow has no signature.');
    const [name = ''] = rule.secrets;
    const secret = await variables.value(userId, name);
    if (!secret) throw new HttpError('invalid_value', `The variable "${name}" has no value.`);
    const { body: given } = body as { readonly body: string };
    sendJson(response, 200, {
      scheme: rule.scheme,
      headers: signDelivery(rule, secret, given, machineTime()),
    });
  };
  const path = '/api/v1/flows/:flow_id/test-signature';
  return [{ method: 'POST', path, access: forManagement, body: 'json', operation, handle: sign }];
}
