import { jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import { objectsMember, textMember } from '../http/json-members';
import { withoutSecrets } from '../http/service-error';
import { AstraError } from './astra-error';
import type { AstraAccess } from './astra-access';

export interface AstraCommand {
  /** Such as "find". */
  readonly name: string;
  /** Null for a command to the keyspace. */
  readonly collection: string | null;
  readonly payload: PythonObject;
}

/** Commands that are safe to repeat. */
const repeatable: ReadonlySet<string> = new Set(['find', 'findAndRerank', 'findCollections']);

/** Sends a command of the Data API. Throws an AstraError with Astra's own text when it is rejected. */
export async function sendAstraCommand(
  access: AstraAccess,
  { name, collection, payload }: AstraCommand,
  context: ComponentContext,
): Promise<PythonValue> {
  const path = [access.keyspace, ...(collection === null ? [] : [collection])].map(encodeURIComponent);
  const answer = await callJson(
    {
      service: 'Astra DB',
      url: `${access.endpoint}/api/json/v1/${path.join('/')}`,
      method: 'POST',
      headers: { token: access.token },
      json: { [name]: jsonValue(payload) },
      secrets: [access.token],
      repeatable: repeatable.has(name),
    },
    context,
  );
  const errors = objectsMember(answer, 'errors');
  if (errors.length === 0) return answer;
  const errorText = withoutSecrets(textMember(errors[0] ?? null, 'message'), [access.token]).slice(0, 300);
  throw new AstraError(
    `Astra DB refused ${name}: ${errorText}`,
    errors.map((error) => textMember(error, 'errorCode')),
  );
}
